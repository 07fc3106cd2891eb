"""Result files of other tools, which hold means: MTEB, BEIR and ranx, recognised by their shape.

- MTEB: MODEL/REVISION/TASK.json with ``scores`` by split, each a list of subsets with a ``main_score``.
- BEIR (``save_results``): MODEL/DATASET.json with ``ndcg``, ``map``, ``recall`` and ``precision``.
- ranx (``Report.save``): DATASET.json with ``metrics``, ``model_names`` and the scores of each model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cranfield.core.errors import FileError, Problem
from cranfield.core.files import is_file, is_folder, read_bytes
from cranfield.core.labels import summary
from cranfield.core.recognition import load_json
from cranfield.questions.across.collected import Part

MTEB_MEASURES = {"ndcg_at_10": "nDCG@10", "map_at_10": "AP@10", "recall_at_100": "R@100", "mrr_at_10": "RR@10"}
"""How MTEB spells a main score, and our name for it."""
FIRST = "nDCG@10"
"""The measure that comes first among several."""
BESIDE = "model_meta.json"
"""What MTEB writes beside the results."""


class Mean(NamedTuple):
    """One mean of a result file; of MTEB, `over` is the split and the subsets that it covers."""

    collection: str
    system: str
    measure: str
    value: Any
    over: str = ""


def result_files(path: str) -> dict[str, Any]:
    """The content of the result files that a file or folder holds, by path; none if it holds others.

    A folder is searched three levels deep. If it holds results, all its JSON files must be results.
    """
    place = Path(path)
    if is_folder(place):
        files = [str(one) for depth in ("*", "*/*", "*/*/*") for one in sorted(place.glob(f"{depth}.json"))]
    else:
        # An uploaded file lies elsewhere than its name says.
        files = [path] if place.suffix == ".json" and is_file(getattr(path, "place", path)) else []
    read = {file: load_json(read_bytes(file), file) for file in files if Path(file).name != BESIDE}
    shapes = {file: shape_of(content) for file, content in read.items()}
    known = [file for file, shape in shapes.items() if shape]
    if known and (other := next((file for file, shape in shapes.items() if not shape), None)) is not None:
        text = f"is not a result file of MTEB, BEIR or ranx, as {Path(known[0]).name} is. Remove it."
        raise FileError(other, [Problem(0, text)])
    return read if known else {}


def shape_of(content: Any) -> str:
    """Which tool wrote it: mteb, beir or ranx; empty for others.

    >>> shape_of({"ndcg": {"NDCG@10": 0.3}, "map": {"MAP@10": 0.2}})
    'beir'
    """
    if not isinstance(content, dict):
        return ""
    if isinstance(content.get("scores"), dict) and ("task_name" in content or "mteb_version" in content):
        return "mteb"
    if isinstance(content.get("model_names"), list) and isinstance(content.get("metrics"), list):
        return "ranx"
    inside = [value for name, value in content.items() if name in ("ndcg", "map", "recall", "precision")]
    # Scores by system and topic may have a system of that name, but not topics that end in a cutoff.
    named = [key for value in inside if isinstance(value, dict) for key in value]
    return "beir" if len(inside) > 1 and named and all("@" in key for key in named) else ""


def read_results(files: Mapping[str, Any]) -> dict[str, dict[str, Part]]:
    """The means in result files by measure and collection."""
    cells: dict[tuple[str, str, str], tuple[float, str]] = {}
    means = [(one, path) for path, content in files.items() for one in _means(path, content)]
    main = {one.measure for one, path in means if shape_of(files[path]) == "mteb"}
    first: dict[str, tuple[str, str]] = {}
    for one, path in means:
        over, other = first.setdefault(one.collection, (one.over, path))
        if over != one.over:
            text = f"{one.collection} covers {one.over}, but {over} in {other}. Give all systems the same subsets."
            raise FileError(path, [Problem(0, text)])
        measure = "main_score" if len(main) > 1 and shape_of(files[path]) == "mteb" else one.measure
        if isinstance(one.value, bool) or not isinstance(one.value, (int, float)) or not math.isfinite(one.value):
            text = f"{one.system}: {one.value!r} by {one.measure} is not a finite number. Remove the file."
            raise FileError(path, [Problem(0, text)])
        key = (measure, one.collection, one.system)
        if key in cells:
            text = f"{one.collection} has results of {one.system} in {cells[key][1]} too. Keep one file."
            raise FileError(path, [Problem(0, text)])
        cells[key] = float(one.value), path
    rows: dict[str, dict[str, list[tuple[str, float]]]] = {}
    for (measure, collection, system), (value, _) in sorted(cells.items(), key=lambda cell: cell[0][0] != FIRST):
        rows.setdefault(measure, {}).setdefault(collection, []).append((system, value))
    return {
        measure: {
            name: Part(("",), tuple((system, "") for system, _ in sorted(of)), np.array([[v for _, v in sorted(of)]]))
            for name, of in collections.items()
        }
        for measure, collections in rows.items()
    }


def _means(path: str, content: Any) -> Iterator[Mean]:
    """The means of one result file."""
    tool = shape_of(content)
    place = Path(path).absolute()
    try:
        if tool == "mteb":
            yield _of_mteb(path, content)
        elif tool == "beir":
            for values in content.values():
                for name, value in values.items():
                    yield Mean(place.stem, place.parent.name, _measure(name), value)
        else:
            for system in content["model_names"]:
                for name in content["metrics"]:
                    yield Mean(place.stem, str(system), _measure(name), content[system]["scores"][name])
    except FileError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        text = f"looks like a result file of {TOOLS[tool]}, but scores are missing. Remove it."
        raise FileError(path, [Problem(0, text)]) from None


TOOLS = {"mteb": "MTEB", "beir": "BEIR", "ranx": "ranx"}


def _of_mteb(path: str, content: Any) -> Mean:
    """The main score of a task: the mean over its subsets on the split ``test``, or on the only split."""
    place, splits = Path(path).absolute(), content["scores"]
    split = "test" if "test" in splits else _only(list(splits), path)
    entries = splits[split]
    values = [entry["main_score"] for entry in entries]
    spelled = {key for key in entries[0] if key in MTEB_MEASURES and entries[0][key] == entries[0]["main_score"]}
    name = MTEB_MEASURES[min(spelled, key=list(MTEB_MEASURES).index)] if spelled else "main_score"
    numbers = all(isinstance(one, (int, float)) for one in values)
    value = sum(values) / len(values) if numbers else next(one for one in values if not isinstance(one, (int, float)))
    task, model = str(content.get("task_name") or place.stem), place.parent.parent.name
    subsets = sorted({str(entry.get("hf_subset", "default")) for entry in entries})
    return Mean(task, model, name, value, f"{split} of {summary(subsets)}")


def _measure(name: str) -> str:
    """A measure as we call it, where we know it."""
    from cranfield.measures.names import recognise

    return str(recognise(name) or name)


def _only(splits: list[str], path: str) -> str:
    """The only split there is."""
    if len(splits) > 1:
        text = f"has the splits {summary(splits)}, and none is called test. Keep one split."
        raise FileError(path, [Problem(0, text)])
    return splits[0]
