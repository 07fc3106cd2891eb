"""Is a machine worse than a second person? Three outcomes, and what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import DataError
from cranfield.core.labels import summary
from cranfield.questions.judges import bias, rankings
from cranfield.questions.judges.inputs import Bench
from cranfield.scores.tau_interval import LEAST_SYSTEMS

Array = NDArray[np.float64]
DECISION_ALPHA = 0.05
"""Level of the unadjusted t-tests that count opposite pairs for the verdict."""
LEAST_OUTSIDE = 3
"""Systems outside a group that its regression needs."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """The three outcomes of a machine beside second persons: ``not worse``, ``worse`` or ``cannot tell``.

    Attributes
    ----------
    n_pairs : pairs of topic and document that all of them judged; None for scores
    difference : Δ, τ of the machine with the reference minus that of the second persons
    opposite, opposite_of_people : pairs of systems decided against the reference by the machine, and by people
    biased : groups of systems, each with the bias beyond that of a second person
    """

    judge: str
    outcome: str
    difference: rankings.TauDifference
    n_systems: int
    n_topics: int
    n_pairs: int | None
    opposite: int
    opposite_of_people: float
    biased: tuple[tuple[str, float], ...] = ()


class BesidePeople(NamedTuple):
    """A machine and the second persons on the pairs (or, for scores, the topics) that all of them judged.

    Scores are topics × systems: `reference` and `own` by the first person and the machine, `people` by each other one.
    """

    machine: str
    reference: Array
    own: Array
    people: list[Array]
    n_pairs: int | None

    def bias(self, inside: NDArray[np.bool_], alpha: float) -> bias.Bias | None:
        """The machine's bias towards a group minus that of the second persons together."""
        if len(self.reference) < bias.LEAST_TOPICS:
            return None
        return bias.group_bias(self.reference, self.own, inside, alpha, np.mean(self.people, axis=0))


def beside_people(bench: Bench) -> list[BesidePeople]:
    """Every machine beside the second persons; none without one, or with fewer than 2 shared topics."""
    found = []
    for machine in bench.machines if bench.seconds and bench.common else ():
        judges = (bench.reference, machine, *bench.seconds)
        topics, scores, n_pairs = bench.restricted(judges)
        if len(topics) > 1:
            reference, own, *people = scores
            found.append(BesidePeople(machine.name, reference, own, people, n_pairs))
    return found


def verdicts(
    bench: Bench,
    beside: Sequence[BesidePeople],
    groups: Mapping[str, str] | None,
    alpha: float,
    n_resamples: int,
    seed: int,
) -> tuple[Verdict, ...]:
    """One per machine; none with too few systems, or where all systems tie."""
    if bench.reference.scores.n_systems < LEAST_SYSTEMS:
        return ()
    found = []
    for one in beside:
        reference, own, people = one.reference, one.own, one.people
        n_topics, n_systems = reference.shape
        first, *others = rankings.rankings(reference, [own, *people], alpha=alpha, n_resamples=n_resamples, seed=seed)
        difference = rankings.tau_difference(first, others, n_topics, alpha)
        if difference is None:
            continue
        opposite, of_people = _opposite(reference, own), float(np.mean([_opposite(reference, x) for x in people]))
        beyond = [(name, one.bias(inside, alpha)) for name, inside in groups_of(bench, groups)]
        biased = tuple((name, b.difference) for name, b in beyond if b is not None and b.p <= alpha)
        if difference.upper < 0:
            outcome = "worse"
        elif difference.lower > -rankings.MARGIN and opposite <= of_people and not biased:
            outcome = "not worse"
        else:
            outcome = "cannot tell"
        found.append(
            Verdict(one.machine, outcome, difference, n_systems, n_topics, one.n_pairs, opposite, of_people, biased)
        )
    return tuple(found)


def _opposite(first: Array, second: Array) -> int:
    """Pairs that both judgments decide by an unadjusted paired t-test at .05, in opposite directions."""
    return rankings.count_decisions(rankings.decisions(first, second, DECISION_ALPHA, holm=False))["opposite"]


def groups_of(bench: Bench, groups: Mapping[str, str] | None) -> list[tuple[str, NDArray[np.bool_]]]:
    """Every group with its systems; a group needs 1 system inside and 3 outside."""
    if not groups:
        return []
    systems = bench.reference.scores.systems
    if not set(groups) & set(systems):
        raise DataError(f"`system_groups` names none of the systems, such as {summary(systems)}. Check the names.")
    names = list(dict.fromkeys(group for system, group in groups.items() if system in set(systems)))
    found = [(name, np.array([groups.get(system) == name for system in systems])) for name in names]
    return [(name, inside) for name, inside in found if (~inside).sum() >= LEAST_OUTSIDE]
