"""All blocks of a simulation, those that a work file holds being left as they are."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.executors import Progress, map_in_order
from cranfield.simulation.trials import Outcome, Plan, Source, run_block
from cranfield.work_files import WorkFile

Array = NDArray[np.float64]
KIND = "simulation"
"""The sort of job that a work file of simulations says it is."""


def run_blocks(
    plan: Plan,
    source: Callable[[list[int]], Source],
    work: WorkFile,
    *,
    run: Callable[[Source, Plan, int], list[Outcome]] = run_block,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[list[Outcome]]:
    """The outcomes of every block of a plan.

    Parameters
    ----------
    source : what the blocks that are still to do are drawn from; called once, with their numbers
    work : where finished blocks are kept; a block that it holds with the right number of trials is not drawn again
    run : what is done with a block
    """
    kept = {block: _unpacked(plan, block, work.get(f"block {block}")) for block in plan.blocks}
    todo = [block for block in plan.blocks if kept[block] is None]
    if todo:
        before = plan.n_trials - sum(map(plan.size, todo))
        tell = None if progress is None else partial(further, progress, before, plan.n_trials)
        done = map_in_order(
            partial(run, source(todo), plan), todo, executor=executor, workers=workers, progress=tell,
            weight=plan.size,
        )  # fmt: skip
        for block, outcomes in zip(todo, done, strict=True):
            work.put(f"block {block}", _packed(outcomes))
            kept[block] = outcomes
    elif progress is not None:
        progress(plan.n_trials, plan.n_trials)
    return [outcomes for outcomes in kept.values() if outcomes is not None]


def job_of(measure: str, values: Array, settings: Mapping[str, Any]) -> dict[str, object]:
    """What identifies a simulation: its scores and settings, but not how many trials; more of them go on from fewer."""
    content = hashlib.blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).hexdigest()
    return {"scores": f"{measure} {content}", **settings}


def further(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    """Tell progress that begins where an interrupted job stopped."""
    progress(before + done, total)


def _packed(outcomes: list[Outcome]) -> dict[str, Any]:
    """Truths as bits, one text per array."""
    parts = {}
    for at, outcome in enumerate(outcomes):
        for name in ("rejected", "wrong", "exchangeable"):
            parts[f"{name} {at}"] = np.packbits(getattr(outcome, name)).tobytes().hex()
    return parts


def _unpacked(plan: Plan, block: int, part: Mapping[str, Any] | None) -> list[Outcome] | None:
    """Outcomes as they were packed; None where there are none, or not those of this plan."""
    if part is None:
        return None
    size, pairs = plan.size(block), plan.n_systems * (plan.n_systems - 1) // 2
    shapes = {
        "rejected": (len(plan.tests), len(plan.alpha), size, pairs), "wrong": (size, pairs), "exchangeable": (size,),
    }  # fmt: skip
    try:
        return [
            Outcome(**{name: _truths(part[f"{name} {at}"], shape) for name, shape in shapes.items()})
            for at in range(len(plan.cells))
        ]
    except (KeyError, ValueError, TypeError):
        return None


def _truths(text: str, shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    raw, count = np.frombuffer(bytes.fromhex(text), dtype=np.uint8), int(np.prod(shape))
    if len(raw) != -(-count // 8):
        raise ValueError("another number of trials")
    return np.unpackbits(raw, count=count).astype(np.bool_).reshape(shape)
