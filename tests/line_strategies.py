"""Hypothesis strategies for lines of fields: sound ones, nearly sound ones, and others."""

from __future__ import annotations

from hypothesis import strategies as st

field = st.one_of(
    st.sampled_from(
        ["1", "0201", "Q0", "d1", "d2", "0.5", "-1e-3", "+.5", "5.", "nan", "1e999", "L2", "-1", "#", "<", "\ufeff1"]
    ),
    st.text(min_size=1, max_size=6),
    st.floats().map(repr),
    st.integers().map(str),
)
blank = st.sampled_from([" ", "\t", "  ", "\t\t", " \t", "\x0b", "\x0c", "\u00a0"])
ending = st.sampled_from(["\n", "\r\n", "\n\n", "\r", " \n", "\n\t"])


@st.composite
def lines_of_fields(draw: st.DrawFn, sizes: tuple[int, ...] = (3, 4, 5, 6, 6, 6, 7)) -> bytes:
    text = ""
    for _ in range(draw(st.integers(0, 6))):
        fields = draw(
            st.lists(field, min_size=1, max_size=8)
            | st.sampled_from(sizes).flatmap(lambda n: st.lists(field, min_size=n, max_size=n))
        )
        text += draw(blank).join(fields) + draw(ending)
    return text.encode("utf-8", "surrogatepass")


@st.composite
def mutated_run(draw: st.DrawFn) -> bytes:
    """A sound run with a few bytes changed, inserted or deleted."""
    rows = [f"{t}\tQ0\tdoc-{d}\t{d}\t{10 - d / 7:.5f}\ttag" for t in (1, 2) for d in range(4)]
    data = bytearray("\n".join(rows).encode())
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data) - 1))
        action = draw(st.sampled_from(["set", "insert", "delete"]))
        byte = draw(st.integers(0, 255) | st.sampled_from(list(b" \t\n\r#<.,eE+-0nL")))
        if action == "set":
            data[at] = byte
        elif action == "insert":
            data.insert(at, byte)
        else:
            del data[at]
    return bytes(data)
