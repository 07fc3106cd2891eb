"""Write docs/dependencies.md: what cranfield needs, what that needs, under which licences, and how large it is.

    python docs/dependencies.py [--check | --audit]

Read from the packages installed beside cranfield; with --check nothing is written, and the exit code says whether every
licence is one that cranfield's own allows. With --audit PyPI is asked for known weaknesses of everything installed, by
pip-audit; it takes a package that PyPI says nothing about for a sound one, which this does not.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("dependencies.md")
EXTRAS = {
    "": "always",
    "charts": "for charts and reports",
    "web": "for `cranfield serve`",
    "simulate": "for copulas in `cranfield simulate`",
    "cluster": "for `--cluster`",
    "excel": "for spreadsheets",
}
ALLOWED = re.compile(r"MIT|BSD|Apache|PSF|Python Software Foundation|MPL|Mozilla|ISC|Unlicense|HPND|0BSD|Zlib|CC0")
"""Licences under which a package may be used beside one under Apache 2.0 without changing its licence."""


def name_of(requirement: str) -> str:
    """The package a requirement names, in its usual spelling."""
    return re.split(r"[\s;<>=!~\[(]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def needed_by(package: Distribution) -> list[str]:
    """What a package needs besides its extras."""
    return [name_of(requirement) for requirement in package.requires or [] if "extra ==" not in requirement]


def licence_of(package: Distribution) -> str:
    """The licence a package names, in a few words."""
    about = package.metadata
    if about.get("License-Expression"):
        return str(about["License-Expression"])
    classes = [
        text.rpartition("::")[2].strip() for text in about.get_all("Classifier") or [] if text.startswith("License ::")
    ]
    named = (about.get("License") or "").strip().splitlines()
    return ", ".join(dict.fromkeys(classes)) or (named[0][:60] if named else "not named")


def size_of(package: Distribution) -> int:
    """Bytes of its files as installed."""
    total = 0
    for file in package.files or []:
        path = Path(str(package.locate_file(file)))
        if path.is_file() and path.suffix != ".pyc":
            total += path.stat().st_size
    return total


def gather() -> dict[str, tuple[Distribution, str, bool]]:
    """Every package needed, directly or not: its distribution, when it is needed, and whether cranfield names it."""
    gathered: dict[str, tuple[Distribution, str, bool]] = {}
    project = tomllib.loads(PAGE.parents[1].joinpath("pyproject.toml").read_text())["project"]
    for extra, when in EXTRAS.items():
        asked = project["optional-dependencies"][extra] if extra else project["dependencies"]
        waiting = [(name_of(requirement), True) for requirement in asked]
        while waiting:
            name, direct = waiting.pop(0)
            if name in gathered or name == "cranfield":
                continue
            try:
                package = distribution(name)
            except PackageNotFoundError:
                continue  # for another system or an older Python
            gathered[name] = (package, when, direct)
            waiting += [(other, False) for other in needed_by(package)]
    return gathered


def page(packages: dict[str, tuple[Distribution, str, bool]]) -> str:
    """The page."""
    always = [package for package, when, _ in packages.values() if when == "always"]
    total = sum(map(size_of, always))
    drawing = sum(size_of(package) for package, when, _ in packages.values() if when == EXTRAS["charts"])
    lines = [
        "# Dependencies",
        "",
        "What `pip install cranfield` brings along, read from the installed packages by `make dependencies`.",
        f"What is always needed takes {total / 1e6:,.0f} MB on Linux in {len(always)} packages (compiled Python files, which "
        "Python adds, not counted). All of it comes as wheels; no compiler is needed. Where one is there, cranfield compiles "
        "its parser of runs.\nzstandard is needed before Python 3.14 only. Charts, reports and "
        f"the page need {drawing / 1e6:,.0f} MB more (the extra `charts`, which `web` contains). "
        "Packages that tests and benchmarks compare with are not listed: cranfield never needs them.",
        "",
        "| package | needed | version | licence | MB |",
        "|---|---|---|---|---|",
    ]
    for name, (package, when, direct) in sorted(packages.items(), key=lambda item: (not item[1][2], item[0])):
        why = when if direct else f"{when}, by another"
        lines.append(f"| {name} | {why} | {package.version} | {licence_of(package)} | {size_of(package) / 1e6:.1f} |")
    return "\n".join(lines) + "\n"


def verdict(packages: list[dict[str, Any]]) -> tuple[int, str]:
    """The exit code and the words for what pip-audit tells of each package."""
    weak = [f"{one['name']} {one['version']}: {weak['id']}" for one in packages for weak in one.get("vulns", ())]
    silent = [one for one in packages if "skip_reason" in one]
    asked = len(packages) - len(silent)
    lines = [f"audit: {asked} of {len(packages)} packages were looked up, {len(weak)} known weaknesses", *weak]
    if silent:
        lines.append(
            f"audit: nothing is known of {len(silent)} packages ({silent[0]['skip_reason']}); "
            "run it where https://pypi.org/pypi/NAME/VERSION/json can be reached"
        )
    return (1 if weak or silent or not packages else 0), "\n".join(lines)


def audit() -> tuple[int, str]:
    """Ask PyPI about everything that is installed, but for cranfield itself."""
    words = [sys.executable, "-m", "pip_audit", "--skip-editable", "--progress-spinner", "off", "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        return 1, f"audit: nothing could be looked up ({last[:300]}); run it where https://pypi.org can be reached"
    return verdict([one for one in packages if "editable" not in one.get("skip_reason", "")])


def main() -> int:
    """Write, check or ask."""
    if "--audit" in sys.argv:
        code, words = audit()
        sys.stdout.write(words + "\n")
        return code
    packages = gather()
    strange = [
        f"{name}: {licence_of(one)}" for name, (one, _, _) in packages.items() if not ALLOWED.search(licence_of(one))
    ]
    if "--check" not in sys.argv:
        PAGE.write_text(page(packages))
    if strange:
        sys.stderr.write("licences to look at: " + "; ".join(strange) + "\n")
    return 1 if strange else 0


if __name__ == "__main__":
    sys.exit(main())
