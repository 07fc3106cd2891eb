"""The sample collection as files in a directory: all of them, or none."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from cranfield.collection.sample_judges import MACHINE, make_judges
from cranfield.collection.writers import write_qrels, write_run
from cranfield.core.errors import FileError, Problem
from cranfield.core.executors import map_in_order
from cranfield.core.files import reason, resolved
from cranfield.core.text import parse_json
from cranfield.core.writing import write_atomically, written_whole

if TYPE_CHECKING:
    from cranfield.collection.sample import Sample

README = """\
A synthetic test collection made by cranfield. Nothing in it is real; the truth about it is known.

documents.jsonl.gz   the documents, one JSON object per line: document, text
topics.tsv           the topics: number, tab, title
qrels.txt            judgments (topic iteration document relevance) of the pool: every document in the
                     top {depth} of at least one run; relevance is 0, 1 or 2
qrels.full.txt.gz    judgments of every document for every topic, of which the pool is a part
runs/SYSTEM.run.gz   the run of each system (topic Q0 document rank score tag). The systems TEAM-1,
                     TEAM-2, ... belong to one team and share part of their errors. Some systems print
                     scores so coarse that documents tie; some fail on a topic and find nothing.
truth.json           the parameters of the model; of each system the team, the quality, and the mean AP
                     (with standard error) over {truth_topics} further topics with every document judged;
                     of each topic the ease and how many documents are relevant and judged
judges/              judgments to compare with `cranfield judges`: human.qrels (the first half of the
                     topics, as in qrels.txt), second.qrels (some of the same pairs by a second person)
                     and machine.qrels (all topics by a machine); groups.txt names the systems of the
                     team that the machine favours, and how lenient it is

Made by: {signature}
"""
GROUPS = """\
# {signature}
# The machine adds {leniency:g} to the latent grade of every document, and {favour:g} more to
# those among the first 10 of a run of the team {team}.
"""


def check_directory(directory: str | os.PathLike[str], *, force: bool = False) -> None:
    """A `FileError` if `directory` is a file, is inside a file, or is not empty without `force`."""
    target = Path(directory)
    try:
        barred = next((path for path in (target, *target.parents) if path.exists() and not path.is_dir()), None)
        empty = barred is not None or not resolved(target).is_dir() or not any(target.iterdir())
    except (OSError, ValueError) as error:
        raise FileError(os.fspath(directory), [Problem(0, f"cannot be read: {reason(error)}")]) from None
    if barred is not None:
        raise FileError(os.fspath(barred), [Problem(0, "is a file where a directory is expected")])
    if not empty and not force:
        text = "is not empty; name a new directory, or replace an earlier sample with force=True"
        raise FileError(os.fspath(directory), [Problem(0, text)])


def write_sample(
    sample: Sample, directory: str | os.PathLike[str], *, force: bool, truth_topics: int
) -> tuple[Path, ...]:
    """See `Sample.write`."""
    check_directory(directory, force=force)
    target = resolved(directory)
    with written_whole(target) as new:
        names = _write_new(sample, new, truth_topics)
        gone = _former_runs(target / "truth.json") - {*names}
        for path in list((target / "runs").glob("*")) if gone else ():
            if f"runs/{path.name}" in gone:
                path.unlink()
    return tuple(Path(directory, name) for name in names)


def _write_new(sample: Sample, directory: Path, truth_topics: int) -> list[str]:
    """Write all files to an empty directory; their names, in order."""
    (directory / "runs").mkdir()
    truth = sample.to_dict() | {"truth_topics": truth_topics, "systems": sample.true_means(truth_topics).to_dicts()}
    texts = {
        "README.txt": README.format(signature=sample.signature, depth=sample.depth, truth_topics=truth_topics),
        "documents.jsonl.gz": sample.documents.write_ndjson(),
        "topics.tsv": sample.topics.write_csv(separator="\t", include_header=False, quote_style="never"),
        "truth.json": json.dumps(truth, indent=1) + "\n",
    }
    judges = make_judges(sample)
    (directory / "judges").mkdir()
    groups = [
        GROUPS.format(signature=sample.signature, team=judges.team, leniency=MACHINE.leniency, favour=MACHINE.favour)
    ]
    groups += [f"{system} {team}\n" for system, team in judges.groups.items()]
    texts["judges/groups.txt"] = "".join(groups)
    judgments = {
        "qrels.txt": sample.qrels, "qrels.full.txt.gz": sample.full_qrels, "judges/human.qrels": judges.human,
        "judges/second.qrels": judges.second, "judges/machine.qrels": judges.machine,
    }  # fmt: skip
    for name, text in texts.items():
        write_atomically(directory / name, text.encode())
    for name, qrels in judgments.items():
        write_qrels(qrels, directory / name)
    runs = {_run_file(run.system): run for run in sample.runs}
    list(map_in_order(lambda name: write_run(runs[name], directory / name), list(runs), executor="threads"))
    return [*texts, *judgments, *runs]


def _run_file(system: str) -> str:
    return f"runs/{system}.run.gz"


def _former_runs(truth: Path) -> set[str]:
    """The run files of the sample that this truth file describes; none when it is another file."""
    try:
        return {_run_file(row["system"]) for row in parse_json(truth.read_bytes())["systems"]}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return set()
