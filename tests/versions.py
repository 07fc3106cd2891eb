"""Install and test cranfield under every Python there is, with the lowest and the newest dependencies it allows.

    python tests/versions.py [--tests PATH...]

Pythons are looked for on the path and among those of pyenv. Every one of them gets two environments in `.venvs`, filled
by uv from wheels alone: cranfield's own dependencies as low or as new as can be, the tools of the tests as new as these
allow. Runs the tests named (a selection that needs none of the peers), and prints one line for each. `--dev` installs
what `make test` needs, but for the browser and what allows no low dependencies; the whole suite is
`--dev --tests tests src`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ["tests/scores/test_matrix.py", "tests/scores/test_files.py", "tests/collection/test_readers.py", "tests/collection/test_writers.py",
         "tests/cli/test_program.py", "tests/cli/test_compare.py", "tests/comparison/test_comparison.py", "tests/comparison/test_classical.py",
         "tests/design/test_designs.py", "tests/standardise/test_factors.py", "tests/test_parquet.py", "tests/test_elementary.py", "tests/test_processors.py", "tests/fuzz/test_fuzz.py"]  # fmt: skip
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
WITHOUT = ("playwright", "axe-playwright-python", "schemathesis", "pyvinecopulib")
NEEDED = ["pytest>=8.2", "pandas>=2.1", "hypothesis>=6.100", "httpx>=0.27"]


def pythons() -> dict[str, str]:
    """The interpreters from 3.11 on, one for each version: by `3.12`, the command."""
    known: dict[str, str] = {}
    places = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    places += sorted(
        map(str, Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/3.*/bin/python"))
    )
    for place in filter(None, [sys.executable, *places]):
        asked = subprocess.run(
            [place, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True
        )
        if asked.returncode == 0 and (match := re.fullmatch(r"3 (\d+)\s*", asked.stdout)) and int(match[1]) >= 11:
            known.setdefault(f"3.{match[1]}", place)
    return known


def tools_of_tests() -> list[str]:
    """What the extra `dev` lists, but for `WITHOUT`."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["dev"]
    return [one for one in listed if one.split(">=")[0] not in WITHOUT]


def attempt(version: str, python: str, kind: str, tests: list[str], dev: bool) -> tuple[bool, str]:
    """Whether the tests pass there, and what to say of it."""
    home = ROOT / ".venvs" / f"{version}-{kind}"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--clear", "--python", python, str(home)], check=True)
    place = home / "bin" / "python"
    install = [*uv, "pip", "install", "--only-binary", ":all:", "--python", str(place)]
    own = [*install, "--resolution", RESOLUTIONS[kind], "-e", f"{ROOT}[web,cluster]"]
    held = home / "constraints.txt"
    tools = [*install, "--constraint", str(held), *(tools_of_tests() if dev else NEEDED)]
    for step in (own, tools):
        done = subprocess.run(step, capture_output=True, text=True)
        if done.returncode:
            return False, "cannot be installed: " + " ".join(done.stderr.split())[:300]
        there = [*uv, "pip", "freeze", "--exclude-editable", "--python", str(place)]
        held.write_text(subprocess.run(there, capture_output=True, text=True).stdout)
    listed = "import importlib.metadata as m; print(*(f'{n} {m.version(n)}' for n in ('numpy', 'scipy', 'polars', 'click', 'fastapi')), sep=', ')"
    versions = subprocess.run([place, "-c", listed], capture_output=True, text=True).stdout.strip()
    done = subprocess.run(
        [place, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], cwd=ROOT, capture_output=True, text=True
    )
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip()[-200:]
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, f"{versions}: {last}" + "".join(f"\n    {line[:160]}" for line in failed[:12])


def main() -> int:
    """Every Python, lowest and newest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--only", help="this version only, such as 3.13")
    parser.add_argument("--kind", choices=list(RESOLUTIONS), help="these dependencies only")
    parser.add_argument("--dev", action="store_true", help="with all the tools and peers of the tests")
    asked = parser.parse_args()
    good = True
    for version, python in pythons().items():
        if asked.only in (None, version):
            for kind in [asked.kind] if asked.kind else RESOLUTIONS:
                passed, text = attempt(version, python, kind, asked.tests, asked.dev)
                good &= passed
                print(f"Python {version}, {kind} dependencies: {'passed' if passed else 'FAILED'}; {text}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
