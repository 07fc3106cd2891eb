"""What a release carries: one version everywhere, and the same requirements for pip and conda."""

from __future__ import annotations

import json
import re
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
    run = CONDA.split("  run:")[1].split("test:")[0]
    wanted = {line.strip("- ").replace(" ", "") for line in run.splitlines() if line.strip()}
    asked = {one.partition(";")[0] for one in PROJECT["dependencies"]}  # a package for any Python has no markers
    assert wanted - {f"python{PROJECT['requires-python']}"} == asked


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


def test_commands_that_set_the_version_name_every_file_that_holds_it() -> None:
    (line,) = re.findall(r"^\$ sed -i 's/0.+/1\.0\.0/' (.+)$", (ROOT / "RELEASING.md").read_text(), flags=re.MULTILINE)
    for name in line.split():
        assert (ROOT / name).read_text().count(cf.__version__) == 1, f"{name}: the command changes more than one place"
