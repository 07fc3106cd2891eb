"""``python -m benchmarks [NAME…]`` runs all benchmarks or the named ones.

A benchmark is a module here with a docstring and ``run() -> list[Row]``.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import sys

from benchmarks import harness


def main() -> None:
    """Run the benchmarks named on the command line, or all."""
    package = importlib.import_module("benchmarks")
    known = [
        m.name for m in pkgutil.iter_modules(package.__path__) if m.name not in ("harness", "generate", "__main__")
    ]
    chosen = sys.argv[1:] or known
    if strangers := set(chosen) - set(known):
        sys.exit(f"unknown benchmark {', '.join(sorted(strangers))}; known: {', '.join(known)}")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    for name in chosen:
        module = importlib.import_module(f"benchmarks.{name}")
        harness.report((module.__doc__ or name).splitlines()[0], module.run())


if __name__ == "__main__":
    main()
