"""One short page for every team: how its runs stand, to be mailed with a link into the report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cranfield.core.labels import plural
from cranfield.core.pages import render_page
from cranfield.questions.compare.comparison import Comparison

MOST_TOPICS = 3
"""Topics of a run that are named: its best and its worst beside the others."""
_LONGEST = 100
"""Bytes of a team's name in that of its file; systems allow 255."""


@dataclass(frozen=True)
class Standing:
    """How one run stands among all.

    Attributes
    ----------
    system, mean, rank, lower, upper : the run, its mean score, its rank and the interval of its rank
    better, worse : systems it is significantly better than, and worse than
    others : systems there are besides
    strong, weak : topics with the largest and smallest score minus the mean of all systems, and that difference
    """

    system: str
    mean: float
    rank: int
    lower: int
    upper: int
    better: int
    worse: int
    others: int
    strong: tuple[tuple[str, float], ...]
    weak: tuple[tuple[str, float], ...]

    @property
    def text(self) -> str:
        """Where it stands, in a sentence."""
        return (
            f"rank {self.rank} of {self.others + 1} ({self.lower}–{self.upper}), better than "
            f"{_systems(self.better)}, worse than {_systems(self.worse)}"
        )

    @property
    def alike(self) -> int:
        """Systems it is not shown to differ from."""
        return self.others - self.better - self.worse


def _systems(count: int) -> str:
    return plural(count, "system") if count else "none"


def standings(comparison: Comparison) -> dict[str, Standing]:
    """Every system of a comparison of all pairs, best first.

    >>> from cranfield import compare, make_scores
    >>> found = standings(compare(make_scores(n_topics=30, n_systems=4, seed=3)))
    >>> next(iter(found.values())).text
    'rank 1 of 4 (1–2), better than 2 systems, worse than none'
    """
    n, scores = comparison.n_systems, comparison.scores
    first, second = np.triu_indices(n, 1)
    won = comparison.significant & (comparison.difference > 0)
    lost = comparison.significant & (comparison.difference < 0)
    better = np.bincount(first[won], minlength=n) + np.bincount(second[lost], minlength=n)
    worse = np.bincount(first[lost], minlength=n) + np.bincount(second[won], minlength=n)
    column = {name: at for at, name in enumerate(scores.systems)}
    above = scores.values - scores.topic_means[:, None]
    found = {}
    for at, name in enumerate(comparison.systems):
        own = above[:, column[name]]
        order = np.argsort(own, kind="stable")
        ends = [[(scores.topics[k], float(own[k])) for k in some] for some in (order[::-1], order)]
        found[name] = Standing(
            name, float(comparison.value[at]), int(comparison.rank[at]), int(comparison.rank_lower[at]),
            int(comparison.rank_upper[at]), int(better[at]), int(worse[at]), n - 1,
            tuple(ends[0][:MOST_TOPICS]), tuple(ends[1][:MOST_TOPICS]),
        )  # fmt: skip
    return found


def participant_pages(
    comparison: Comparison, title: str, teams: Mapping[str, str] | None, report: str
) -> dict[str, str]:
    """The pages by file name, one per team; without teams, one per run.

    Parameters
    ----------
    comparison : all pairs by the main measure
    title : what the report is called
    teams : the team of every run
    report : the address of the report from these pages
    """
    members: dict[str, list[Standing]] = {}
    for name, one in standings(comparison).items():
        members.setdefault((teams or {}).get(name) or name, []).append(one)
    pages: dict[str, str] = {}
    for team in sorted(members):
        plain = re.sub(r"[^\w.-]+", "_", team).encode()[:_LONGEST].decode(errors="ignore")
        stem = plain.strip("._") or "team"
        names = (f"{stem}{f'-{number}' if number > 1 else ''}.html" for number in range(1, len(members) + 1))
        file = next(name for name in names if name.lower() not in {known.lower() for known in pages})
        shown = {"team": team, "title": title, "runs": members[team], "comparison": comparison, "report": report}
        pages[file] = render_page("participant.html", **shown)
    return pages
