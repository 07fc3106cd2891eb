"""Agreement and prediction-powered means against scikit-learn, krippendorff and ppi-python, where definitions agree."""

from __future__ import annotations

import krippendorff
import numpy as np
import ppi_py
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from cranfield.questions.judges import labels, powered

RNG = np.random.default_rng(5)
GRADES = np.arange(4.0)


def judged(n: int = 400, noise: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """Grades 0 to 3 by two judges, the second noisier at the top."""
    first = RNG.choice(GRADES, n, p=[0.5, 0.25, 0.15, 0.1])
    return first, np.clip(np.rint(first + RNG.normal(0.2, noise, n)), 0, 3)


def table(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    topics = np.zeros(len(first), np.intp)
    return labels.counts_by_topic(topics, first, second, GRADES)


@pytest.mark.parametrize(("power", "weights"), [(0, None), (1, "linear"), (2, "quadratic")])
@pytest.mark.parametrize("noise", [0.1, 0.8, 3.0])
def test_kappa_is_that_of_scikit_learn(power: int, weights: str | None, noise: float) -> None:
    first, second = judged(noise=noise)
    expected = cohen_kappa_score(first, second, weights=weights, labels=GRADES)
    assert labels.kappa(table(first, second), GRADES, power)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("noise", [0.1, 0.8, 3.0])
def test_alpha_is_that_of_krippendorff(noise: float) -> None:
    first, second = judged(noise=noise)
    expected = krippendorff.alpha(np.array([first, second]), level_of_measurement="interval")
    assert labels.alpha_interval(table(first, second), GRADES)[0] == pytest.approx(expected, abs=1e-12)


def scored(n: int, more: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth = RNG.normal(0.4, 0.2, n + more)
    machine = truth + RNG.normal(0.05, noise, n + more)
    return truth[:n], machine[:n], machine[n:]


@pytest.mark.parametrize(("n", "more", "noise"), [(20, 100, 0.1), (40, 40, 0.3), (200, 2000, 0.2)])
def test_powered_means_are_those_of_ppi(n: int, more: int, noise: float) -> None:
    """With the same λ: the point estimate, and the interval once its z quantile and divisors n and N are taken."""
    y, f, g = scored(n, more, noise)
    found = powered.powered(y[:, None], f[:, None], g[:, None])
    weight = float(found.weight[0])
    assert 0 < weight < 1
    point = ppi_py.ppi_mean_pointestimate(y, f, g, lam=weight)
    assert found.estimate[0] == pytest.approx(float(np.ravel(point)[0]), abs=1e-12)
    of_machine = weight**2 * g.var(ddof=1) / more
    of_people = found.error[0] ** 2 - of_machine
    half = stats.norm.ppf(0.975) * np.sqrt(of_people * (n - 2) / n + of_machine * (more - 1) / more)
    ends = [float(np.ravel(end)[0]) for end in ppi_py.ppi_mean_ci(y, f, g, alpha=0.05, lam=weight)]
    assert ends == pytest.approx([found.estimate[0] - half, found.estimate[0] + half], abs=1e-9)


@pytest.mark.parametrize(("n", "more", "noise"), [(20, 100, 0.1), (40, 40, 0.3), (200, 2000, 0.2)])
def test_the_weight_is_nearly_that_of_ppi(n: int, more: int, noise: float) -> None:
    """ppi-python divides the covariance by n, and centres it at its point estimate, so λ agrees up to O(1/n)."""
    y, f, g = scored(n, more, noise)
    found = powered.powered(y[:, None], f[:, None], g[:, None])
    theirs = float(np.ravel(ppi_py.ppi_mean_pointestimate(y, f, g))[0])
    by_weight = (theirs - y.mean()) / (g.mean() - f.mean())
    assert found.weight[0] == pytest.approx(by_weight, abs=2 / n)
