"""What a release carries: one version everywhere, and the same requirements for pip and conda."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import cranfield as cf

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()


def test_the_version_is_the_same_everywhere() -> None:
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)
    conda = re.search(r'set version = "(.+?)"', CONDA)
    assert citation is not None
    assert conda is not None
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())["version"]
    assert {PROJECT["version"], citation[1], conda[1], zenodo} == {cf.__version__}


def test_conda_asks_for_what_pip_asks_for() -> None:
    run, constrained = (
        {line.strip("- ").replace(" ", "") for line in part.splitlines()[1:] if line.strip()}
        for part in CONDA.split("  run:")[1].split("test:")[0].split("  run_constrained:")
    )
    asked = {one.partition(";")[0] for one in PROJECT["dependencies"]}  # a package for any Python has no markers
    assert run - {f"python{PROJECT['requires-python']}"} == asked
    assert constrained == {*PROJECT["optional-dependencies"]["charts"]}


def test_the_paper_has_its_sections_and_works_cited() -> None:
    """The sections that the Journal of Open Source Software asks for; a work not in the file is printed as ???."""
    text = (ROOT / "paper" / "paper.md").read_text()
    sections = re.findall(r"^# (.+)$", text, flags=re.MULTILINE)
    wanted = {"Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"}
    assert wanted | {"AI usage disclosure", "Acknowledgements", "References"} <= set(sections)
    cited = set(re.findall(r"@([a-z]+\d{4}[a-z]*)", text))
    held = set(re.findall(r"@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text()))
    assert cited == held
    assert 750 <= len(text.split("# Summary")[1].split()) <= 1750


def test_commands_that_set_the_version_change_every_place(tmp_path: Path) -> None:
    lines = re.findall(r"^\$ (NEW=.+|sed -i [^-].+)$", (ROOT / "RELEASING.md").read_text(), flags=re.MULTILINE)
    named = {word for line in lines for word in line.split() if (ROOT / word).is_file()}
    assert {"pyproject.toml", "CHANGELOG.md", "CITATION.cff"} < named
    for name in named:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run(["bash", "-ec", "\n".join(lines)], cwd=tmp_path, check=True)
    for name in named - {"CHANGELOG.md"}:
        before, after = ((place / name).read_text().splitlines() for place in (ROOT, tmp_path))
        changed = [line for line, other in zip(after, before, strict=True) if line != other]
        assert any("1.1.0" in line for line in changed), name
        assert all("1.1.0" in line or line.startswith("date-released: ") for line in changed), name
    assert re.search(
        r"^## Unreleased\n\n## 1\.1\.0 \(\d{4}-\d\d-\d\d\)$",
        (tmp_path / "CHANGELOG.md").read_text(),
        flags=re.MULTILINE,
    )


def test_the_newest_section_of_the_changelog_is_this_version() -> None:
    sections = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    date = re.search(r"^date-released: (.+)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)
    assert date is not None
    assert sections[:2] == ["Unreleased", f"{cf.__version__} ({date[1]})"]
