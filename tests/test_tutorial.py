"""The notebooks run from top to bottom, and are stored without outputs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TUTORIAL, COMING_FROM, ACROSS = (
    ROOT / "docs" / f"{name}.ipynb" for name in ("tutorial", "coming_from_notebook", "tutorial_across")
)
SHOWN = {
    "tutorial_plan": "topics, power is about 0.8 to detect a difference of 0.1",
    "tutorial_table": "A missing mark does not mean equality",
    "tutorial_gate": "About 125 topics could decide if the difference stays the same",
    "tutorial_judges": "Prediction-powered differences assume that the human topics are a random sample",
}
"""The tutorials, and a sentence that each comes to; they assert the rest themselves."""
nbformat = pytest.importorskip("nbformat")


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.ipynb")), ids=lambda path: path.stem)
def test_it_is_stored_without_outputs(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the cells of a notebook show, run in a folder of its own."""
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in shown if output["output_type"] == "error"]
    return shown


@pytest.mark.filterwarnings("ignore")
def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run(TUTORIAL, tmp_path, monkeypatch)
    assert (tmp_path / "report.html").stat().st_size > 100_000
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert "text/html" in kinds
    assert "image/svg+xml" in kinds
    assert "cdn." not in str(shown), "nothing is fetched to show a chart"


@pytest.mark.filterwarnings("ignore")
def test_every_door_leads_to_the_same_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notebook itself asserts that dictionaries, frames, objects and files give the same comparison."""
    shown = str(run(COMING_FROM, tmp_path, monkeypatch))
    assert "is not installed here" not in shown, "the peers belong to the development tools"
    assert "map                   " in shown, "trec_eval's own lines"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SHOWN)
def test_the_tutorials_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = str(run(ROOT / "docs" / f"{name}.ipynb", tmp_path, monkeypatch))
    assert SHOWN[name] in shown.replace("\\n", " ")


@pytest.mark.filterwarnings("ignore")
def test_twelve_collections_and_three_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notebook itself asserts that intervals hold the truth and that components are near it."""
    shown = str(run(ACROSS, tmp_path, monkeypatch))
    assert "Use `across`" in shown
    assert "as recipes, on these 12 collections" in shown
