"""``python -m benchmarks [--write] [NAME…]`` runs all benchmarks or the named ones.

A benchmark is a module here with a docstring and ``run() -> list[Row]``; one with ``said(rows) -> str`` puts in words
what its table shows. With ``--write`` tables and words go into docs/benchmarks.md, each in the place of its last one,
with date, machine and command. Several are run one after the other, each in a separate process: what a child takes is
counted from what its parent holds when it starts.
"""

from __future__ import annotations

import datetime
import importlib
import os
import pkgutil
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import harness

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
NO_BENCHMARKS = ("harness", "generate", "__main__")


def machine() -> str:
    """What the figures were measured on, and how busy it was."""
    text = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}"
    return text if not hasattr(os, "getloadavg") else f"{text}, load {os.getloadavg()[0]:.1f}"


def with_section(page: str, title: str, section: str) -> str:
    """The page with a section in the place of the one of the same title, or at its end.

    >>> with_section("# B\\n\\n## One\\n\\nold\\n\\n## Two\\n\\nkept\\n", "One", "## One\\n\\nnew\\n")
    '# B\\n\\n## One\\n\\nnew\\n\\n## Two\\n\\nkept\\n'
    """
    old = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.M | re.S)
    if old.search(page) is None:
        return f"{page.rstrip()}\n\n{section}"
    return old.sub(lambda _: f"{section}\n", page, count=1).rstrip() + "\n"


def main() -> None:
    """Run the benchmarks named on the command line, or all."""
    package = importlib.import_module("benchmarks")
    known = [m.name for m in pkgutil.iter_modules(package.__path__) if m.name not in NO_BENCHMARKS]
    write = "--write" in sys.argv
    chosen = [name for name in sys.argv[1:] if name != "--write"] or known
    if strangers := set(chosen) - set(known):
        sys.exit(f"unknown benchmark {', '.join(sorted(strangers))}; known: {', '.join(known)}")
    if len(chosen) == 1:
        measure(chosen[0], write)
        return
    start = time.monotonic()
    for name in chosen:
        subprocess.run([sys.executable, "-m", "benchmarks", *(["--write"] if write else []), name], check=True)
        print(f"{name}: done after {(time.monotonic() - start) / 60:.1f} minutes", flush=True)


def measure(name: str, write: bool) -> None:
    """Run one benchmark, print its table, and put it into the page where that is wanted."""
    module = importlib.import_module(f"benchmarks.{name}")
    title = (module.__doc__ or name).splitlines()[0]
    said = f"`python -m benchmarks {name}`, {datetime.datetime.now(datetime.UTC).date().isoformat()}: {machine()}."
    rows = module.run()
    table = harness.table(rows)
    if hasattr(module, "said"):
        table = f"{module.said(rows)}\n\n{table}"
    print(f"\n## {title}\n\n{said}\n\n{table}", flush=True)
    if write:
        PAGE.write_text(with_section(PAGE.read_text(), title, f"## {title}\n\n{said}\n\n{table}"))


if __name__ == "__main__":
    main()
