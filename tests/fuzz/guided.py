"""Fuzzing that coverage guides, with atheris: inputs that reach new lines are kept, and bred from.

    make fuzz-guided MINUTES=10 TARGET=run

`corpus/TARGET.txt` holds short inputs that together reach all lines reached so far; `make test` reads them again,
without atheris. A new run begins with them. A finding ends the run of its target, and lies in `found-TARGET-…`; add it
to the corpus once it is mended.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType

from cranfield import evaluate
from fuzz.readers import TARGETS as FILES
from fuzz.readers import problem

CORPUS = Path(__file__).parent / "corpus"
SOURCE = "/cranfield/"
LONGEST = 400
"""Bytes of an input: short ones are fast, and easy to understand."""


class Found(Exception):
    """Something that is neither data nor an error in words."""


def readers(kind: str, folder: Path) -> Callable[[bytes], None]:
    """The bytes as a file of a kind, by each of its readers."""
    tried = [(read, name) for one, read, name, _ in FILES if one == kind]

    def attempt(data: bytes) -> None:
        for read, name in tried:
            # No kind, so no rows are counted: those counts are for sound files that were changed a little.
            if wrong := problem("", read, folder / name, data):
                raise Found(wrong)

    return attempt


def ids(folder: Path) -> Callable[[bytes], None]:
    """The bytes as ids of documents, some judged, some retrieved: those in both are found, and no others."""
    judgments, run = folder / "qrels.txt", folder / "a.run"

    def attempt(data: bytes) -> None:
        # Letters and digits only: what separates fields is the business of the readers.
        text = [bytes(48 + one % 75 for one in part).decode() for part in data.split(b"\n") if part]
        half = data[:1] < b"\x80"
        known = dict.fromkeys(text[::2] if half else text[: len(text) // 2])
        given = dict.fromkeys(text[1::2] + text[::3] if half else text[len(text) // 3 :])
        if not {*known} & {*given}:
            return  # which is taken for a mistake
        judgments.write_text("".join(f"1 0 {name} 1\n" for name in known))
        run.write_text("".join(f"1 Q0 {name} {at} {len(given) - at} a\n" for at, name in enumerate(given)))
        found = evaluate(judgments, run, ["NumRelRet", "NumRel", "NumRet"])
        got = [found[name].values[0, 0] for name in ("NumRelRet", "NumRel", "NumRet")]
        wanted = [len({*known} & {*given}), len(known), len(given)]
        if got != wanted:
            raise Found(f"found {got} of {wanted}: {[*known]} {[*given]}")

    return attempt


WORDS = ("Abcd0ef1", "Qbcd2efq", "a", "", "d10", "clueweb12")
IDS = [
    b"\n".join(bytes(ord(one) - 48 for one in f"{a}{b}") for a in WORDS for b in some) for some in (WORDS, WORDS[:2])
]
"""Ids to begin with: of one word of eight bytes and of more, and those that once had one hash."""
KINDS = ("run", "qrels", "scores", "factors", "teams", "intents", "orders", "archives", "checks", "compressed")
TARGETS: dict[str, Callable[[Path], Callable[[bytes], None]]] = {"ids": ids} | {
    kind: lambda folder, kind=kind: readers(kind, folder)
    for kind in KINDS  # type: ignore[misc]
}


def breed(target: str, begin: str, *words: str) -> None:
    """Fuzz in this process, which libFuzzer ends; whoever imports this first tells atheris what to watch."""
    import atheris

    with tempfile.TemporaryDirectory() as place:
        attempt = TARGETS[target](Path(place))
        for one in Path(begin).iterdir():
            attempt(one.read_bytes())  # which imports the rest
        atheris.Setup(["guided", begin, *words], attempt)
        atheris.Fuzz()


BREED = """
import sys, atheris
with atheris.instrument_imports(include=["cranfield"]):
    from fuzz.guided import breed
    breed(*sys.argv[1:])
"""


def reached(attempt: Callable[[bytes], None], data: bytes) -> set[tuple[str, int]]:
    """The lines of the program that an input reaches."""
    lines: set[tuple[str, int]] = set()

    def watch(frame: FrameType, event: str, _: object) -> object:
        if SOURCE not in frame.f_code.co_filename:
            return None
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return watch

    sys.settrace(watch)
    try:
        attempt(data)
    finally:
        sys.settrace(None)
    return lines


def fewest(attempt: Callable[[bytes], None], inputs: Iterable[bytes]) -> list[bytes]:
    """The inputs that reach lines which no shorter one reaches."""
    attempt(b"")  # imports
    known: set[tuple[str, int]] = set()
    kept = []
    for data in sorted({*inputs}, key=lambda one: (len(one), one)):
        if new := reached(attempt, data) - known:
            known |= new
            kept.append(data)
    return kept


def corpus(target: str) -> list[bytes]:
    """The inputs that are kept: one literal of Python a line."""
    file = CORPUS / f"{target}.txt"
    return [ast.literal_eval(line) for line in file.read_text().splitlines()] if file.exists() else []


def main() -> int:
    """Fuzz some targets for some minutes each, and keep the inputs that reach new lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=[*TARGETS], action="append", help="what to fuzz (all)")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long, each")
    parser.add_argument("--seed", type=int, default=1)
    asked, failed = parser.parse_args(), []
    for target in asked.target or TARGETS:
        with tempfile.TemporaryDirectory() as place:
            begin = [*corpus(target), *(data for kind, _, _, data in FILES if kind == target and len(data) <= LONGEST)]
            begin += IDS if target == "ids" else []
            for at, data in enumerate(begin):
                Path(place, f"{at}").write_bytes(data)
            inside = [sys.executable, "-c", BREED, target, place]
            how = [f"-max_len={LONGEST}", "-timeout=30", "-rss_limit_mb=4000", f"-artifact_prefix=found-{target}-"]
            how += [f"-max_total_time={asked.minutes * 60:.0f}", f"-seed={asked.seed}", "-print_final_stats=1"]
            done = subprocess.run([*inside, *how], check=False)
            failed += [target] * (done.returncode != 0)
            bred = [one.read_bytes() for one in Path(place).iterdir()]
            with tempfile.TemporaryDirectory() as scratch:
                kept = fewest(TARGETS[target](Path(scratch)), [*begin, *bred])
        (CORPUS / f"{target}.txt").write_text("".join(f"{data!r}\n" for data in kept))
        sys.stdout.write(f"{target}: {len(bred):,} inputs reached something new, {len(kept)} are kept\n")
    sys.stdout.write(f"findings in {', '.join(failed) or 'no target'}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
