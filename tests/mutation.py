"""Would the tests notice? Change the sources a little, one place at a time, and count how often they do.

``python tests/mutation.py --mutants 60`` draws places by seed from the rooms named, makes each change in a temporary
copy, and runs the tests of that room there. A change that every test survives is printed, to be read: either it
changes nothing that matters, or a test is missing. `make mutation` runs it.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[1]
TESTS = {
    "scores": ["tests/scores", "tests/doors/test_spreadsheets.py", "src/cranfield/scores"],
    "questions/variance": ["tests/variance", "tests/properties/test_design.py", "src/cranfield/questions/variance"],
    "questions/compare": ["tests/comparison", "src/cranfield/questions/compare"],
    "questions/design": [
        "tests/design",
        "tests/published",
        "tests/properties/test_design.py",
        "src/cranfield/questions/design",
    ],
}
"""The tests that answer for each folder: its own, its doctests, and those of the published tables."""
LEFT_OUT = {"question.py", "answer.py", "charts.py"}
"""Files of a question that say and draw; other tests answer for them, and they hold no numerics."""

COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq}
COMPARISONS |= {ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
ARITHMETIC |= {ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}


@dataclass(frozen=True)
class Mutant:
    """One small change: the file, the line, the change in words, and the text of the changed file."""

    file: str
    line: int
    change: str
    text: str


def changed(node: ast.AST) -> ast.AST | None:
    """The node with one small change in it, or nothing where there is none to make."""
    other = copy.deepcopy(node)
    match other:
        case ast.Compare(ops=[op, *_]) if type(op) in COMPARISONS:
            other.ops[0] = COMPARISONS[type(op)]()
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            other.op = ARITHMETIC[type(op)]()
        case ast.BoolOp(op=op):
            other.op = ast.Or() if isinstance(op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            return other.operand
        case ast.Constant(value=bool(value)):
            other.value = not value
        case ast.Constant(value=int(value)):
            other.value = value + 1
        case ast.Constant(value=float(value)):
            other.value = 1.5 * value if value else 1.0
        case ast.If() | ast.IfExp():
            other.test = ast.UnaryOp(ast.Not(), other.test)
        case _:
            return None
    return ast.copy_location(other, node)


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every place of a tree that holds code which runs: its parent, the field, and the place in it.

    Annotations, what stands in error messages, and what is for type checkers only are passed over.
    """
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, (ast.Raise, ast.JoinedStr)):
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            yield tree, field, index
            yield from places(child)


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """Every small change of a file."""
    tree = ast.parse(text)
    for parent, field, index in list(places(tree)):
        held = getattr(parent, field)
        node = held if index is None else held[index]
        other = changed(node)
        if other is None:
            continue
        _put(parent, field, index, other)
        shown = f"{ast.unparse(node).splitlines()[0]}  →  {ast.unparse(other).splitlines()[0]}"
        yield Mutant(file, node.lineno, shown, ast.unparse(ast.fix_missing_locations(tree)))
        _put(parent, field, index, node)


def _put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def room_of(file: str) -> str:
    """The folder whose tests answer for a file."""
    return next(room for room in TESTS if file.startswith(f"src/cranfield/{room}/"))


def run(mutant: Mutant, place: Path, seconds: float) -> str:
    """Whether a mutant is ``"killed"``, ``"survived"`` or ran out of time (``"endless"``) in a copy of the house."""
    path = place / mutant.file
    before = path.read_text()
    path.write_text(mutant.text)
    environment = {**os.environ, "PYTHONPATH": str(place / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *TESTS[room_of(mutant.file)]]
    try:
        ended = subprocess.run(words, cwd=place, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return "endless"
    finally:
        path.write_text(before)
    return "survived" if ended.returncode == 0 else "killed"


def sampled(rooms: list[str], count: int, seed: int) -> list[Mutant]:
    """So many changes, as many of every room, in an order that the seed decides."""
    chosen = []
    for place, room in enumerate(rooms):
        files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "src/cranfield" / room).rglob("*.py"))
        every = [
            one for file in files if Path(file).name not in LEFT_OUT for one in mutants(file, (ROOT / file).read_text())
        ]
        share = count // len(rooms) + (place < count % len(rooms))
        chosen += random.Random(seed).sample(every, min(share, len(every)))
    random.Random(seed).shuffle(chosen)
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description="Change the sources a little and count how often the tests notice.")
    parser.add_argument("rooms", nargs="*", default=list(TESTS), help=f"of {', '.join(TESTS)}; all unless named")
    parser.add_argument("--mutants", type=int, default=60, help="how many changes")
    parser.add_argument("--seed", type=int, default=1, help="which changes")
    parser.add_argument("--minutes", type=float, default=60, help="start no new one after so long")
    parser.add_argument("--seconds", type=float, default=300, help="longest run of the tests on one change")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    asked = parser.parse_args()
    if unknown := set(asked.rooms) - set(TESTS):
        parser.error(f"unknown rooms: {', '.join(sorted(unknown))}; known: {', '.join(TESTS)}")
    end = time.monotonic() + 60 * asked.minutes
    with tempfile.TemporaryDirectory() as directory:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(asked.jobs):
            place = Path(directory, str(number), "house")
            for part in ("src", "tests", "docs"):
                shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(ROOT / "pyproject.toml", place)
            copies.put(place)

        for room in asked.rooms:  # tests that fail anyway would notice every change
            first = f"src/cranfield/{room}/__init__.py"
            if run(Mutant(first, 1, "", (ROOT / first).read_text()), place, 10 * asked.seconds) != "survived":
                print(f"{room}: its tests fail without any change; mend them first")
                return 1

        def one(mutant: Mutant) -> tuple[Mutant, str]:
            if time.monotonic() > end:
                return mutant, "not run"
            place = copies.get()
            try:
                return mutant, run(mutant, place, asked.seconds)
            finally:
                copies.put(place)

        counts: dict[str, Counter[str]] = {room: Counter() for room in asked.rooms}
        with ThreadPoolExecutor(asked.jobs) as threads:
            for mutant, outcome in threads.map(one, sampled(asked.rooms, asked.mutants, asked.seed)):
                counts[room_of(mutant.file)][outcome] += 1
                if outcome == "survived":
                    print(f"survived: {mutant.file}:{mutant.line}: {mutant.change}", flush=True)
    for room, each in counts.items():
        ran = sum(each.values()) - each["not run"]
        print(
            f"{room}: {ran - each['survived']} of {ran} killed ({each['endless']} by time), {each['not run']} not run"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
