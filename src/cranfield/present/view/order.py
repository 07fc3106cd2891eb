"""The order of a heat map: what is alike stands side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def clustered(distance: NDArray[np.float64], merit: NDArray[np.float64]) -> list[int]:
    """The leaves of an average-linkage tree over distances, the branch of larger mean merit first at every fork.

    >>> distance = np.array([[0, 5, 1], [5, 0, 5], [1, 5, 0]])
    >>> clustered(distance, np.array([.1, .9, .2]))
    [1, 2, 0]
    """
    n = len(distance)
    if n < 3:
        return [int(at) for at in np.argsort(-merit, kind="stable")]
    from scipy.cluster.hierarchy import linkage

    tree = linkage(distance[np.triu_indices(n, 1)], "average")
    branches: list[list[int]] = [[at] for at in range(n)]
    for left, right, *_ in tree:
        pair = sorted((branches[int(left)], branches[int(right)]), key=lambda one: (-float(merit[one].mean()), one[0]))
        branches.append(pair[0] + pair[1])
    return branches[-1]
