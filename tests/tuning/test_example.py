"""The worked example: a real search engine, tuned and compared from end to end."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from cranfield import CranfieldWarning

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "tune_search_engine.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tune_search_engine", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_sauce_helps_on_held_out_topics_by_the_docs_figures(example: ModuleType) -> None:
    with pytest.warns(CranfieldWarning, match="feedback: settings close to the best differ"):
        tuning, comparison = example.main()
    bm25, feedback = tuning.families
    assert tuning.held_out.n_topics == 50
    assert bm25.held_out_mean == pytest.approx(0.4417, abs=5e-4)
    assert feedback.held_out_mean == pytest.approx(0.4744, abs=5e-4)
    assert bm25.optimism == pytest.approx(0.0040, abs=5e-4)
    assert feedback.optimism == pytest.approx(0.0047, abs=5e-4)
    assert comparison.system_a[0] == "feedback"
    assert comparison.significant[0]
    # The curve over lambda at the final k1 and b rises and falls: neither end is best.
    final = feedback.family.settings[feedback.family.scores.systems.index(feedback.final)]
    curve = feedback.curve(n_resamples=100).filter(k1=final["k1"], b=final["b"])
    assert curve["lambda"].to_list() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert curve["mean"].arg_max() not in (0, 5)
