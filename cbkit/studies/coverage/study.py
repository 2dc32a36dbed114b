"""How often the expected target lies below a bootstrapped upper bound (appendix A of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit

from cbkit.oracles.resampling import draw_weights
from cbkit.studies.coverage.models import CoverageModel
from cbkit.studies.coverage.solvers import weighted_least_squares, weighted_logistic

SAMPLE_SIZES: tuple[int, ...] = (10, 15, 25, 39, 63, 100, 158, 251, 398, 630)
SAMPLE_SIZES += (1000, 1584, 2511, 3981, 6309, 10_000)

# name in the tables -> kind in cbkit.oracles.resampling
WEIGHTS = {
    "bootstrap": "multinomial",
    "poisson": "poisson",
    "uniform": "uniform",
    "gamma_1_1": "gamma(1,1)",
    "gamma_2_2": "gamma(2,2)",
}
# standard deviation of one weight over its mean
SPREADS = {
    "bootstrap": 1.0,
    "poisson": 1.0,
    "uniform": 1 / np.sqrt(3),
    "gamma_1_1": 1.0,
    "gamma_2_2": 1 / np.sqrt(2),
}


def run_study(
    models: Sequence[CoverageModel],
    *,
    sample_sizes: Sequence[int] = SAMPLE_SIZES,
    weights: Sequence[str] = tuple(WEIGHTS),
    n_resamples: Sequence[int] = (10,),
    percentiles: Sequence[float] = (80,),
    targets: Sequence[str] = ("expected",),
    n_samples: int = 100,
    n_test: int = 1000,
    ridge: float = 1e-3,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute the coverage of bootstrapped upper bounds, sample by sample.

    The random numbers depend on `seed` and the sample size, not on the model, so that models and
    weights are compared on the same draws; the test points depend on `seed` alone. With several
    `n_resamples` the smaller numbers use the first resamples of the largest.

    Parameters
    ----------
    models : sequence of CoverageModel
        The data-generating models.
    sample_sizes : sequence of int
        Numbers of observations in a sample.
    weights : sequence of str
        Names from `WEIGHTS`.
    n_resamples : sequence of int
        Numbers of resamples that make a bound.
    percentiles : sequence of float
        Percentiles of the resamples' predictions that serve as bound, in percent (0-100).
    targets : sequence of str
        What the bound is compared with, see `CoverageModel.target`.
    n_samples : int
        Number of samples per cell.
    n_test : int
        Number of test points, the same for all samples.
    ridge : float
        Penalty of the logistic regressions, see `weighted_logistic`.
    seed : int
        Seed of the study.

    Returns
    -------
    DataFrame
        One row per cell and sample: ``table, ridge, sample_size, weights, n_resamples, percentile,
        target, sample, coverage_pct`` (share of test points whose target is below the bound),
        ``n_test``, ``point_spread_pct`` (standard deviation over test points of the share of
        samples in which a point is covered) and ``one_label_pct`` (share of the sample's resamples
        that hold one label only).
    """
    _check_study(sample_sizes, weights, n_resamples, percentiles, n_samples, n_test)
    frames: dict[str, list[pd.DataFrame]] = {model.name: [] for model in models}
    for sample_size in sample_sizes:
        data = [
            model.samples(n_samples, sample_size, np.random.default_rng([seed, sample_size]))
            for model in models
        ]
        for name in weights:
            stream = np.random.default_rng([seed, sample_size, 1 + list(WEIGHTS).index(name)])
            shape = (sample_size, n_samples, max(n_resamples))
            drawn = np.moveaxis(draw_weights(WEIGHTS[name], shape, stream), 0, 1)
            drawn = np.ascontiguousarray(drawn)
            for model, (X, y) in zip(models, data, strict=True):
                cell = {"table": model.name, "sample_size": sample_size, "weights": name}
                if model.family == "linear":
                    coefficients = weighted_least_squares(X, y, drawn)
                    cell |= {"ridge": 0.0, "one_label_pct": 0.0}
                else:
                    coefficients = weighted_logistic(X, y, drawn, ridge=ridge)
                    one_label = 100 * _holds_one_label(y, drawn).mean(axis=1)
                    cell |= {"ridge": ridge, "one_label_pct": one_label}
                test_rng = np.random.default_rng([seed, 0])
                X_test = model.features((n_test,), test_rng)
                values = {kind: model.target(kind, X_test, test_rng) for kind in targets}
                for number in n_resamples:
                    part = coefficients[:, :, :number]
                    bounds = upper_bounds(X_test, part, percentiles, model.family)
                    bound_at = dict(zip(percentiles, bounds, strict=True))
                    cell |= {"n_resamples": number}
                    frames[model.name] += _covered(cell, values, bound_at)
    return pd.concat([frame for model in models for frame in frames[model.name]], ignore_index=True)


def _covered(
    cell: dict[str, object], values: dict[str, np.ndarray], bounds: dict[float, np.ndarray]
) -> list[pd.DataFrame]:
    """Count the targets below the bounds; a frame per target and percentile, a row per sample."""
    frames = []
    for (kind, value), (percentile, bound) in product(values.items(), bounds.items()):
        below = value < bound
        facts = {
            "percentile": percentile,
            "target": kind,
            "sample": np.arange(len(bound)),
            "coverage_pct": 100 * below.mean(axis=1),
            "n_test": len(value),
            "point_spread_pct": 100 * below.mean(axis=0).std(),
        }
        frames.append(pd.DataFrame(cell | facts))
    return frames


def upper_bounds(
    X_test: np.ndarray, coefficients: np.ndarray, percentiles: Sequence[float], family: str
) -> np.ndarray:
    """Percentiles of the resamples' predictions at every test point.

    Parameters
    ----------
    X_test : ndarray, shape (n_test, 4)
        Features of the test points.
    coefficients : ndarray, shape (n_samples, 4, n_resamples)
        Coefficients of every sample's resamples.
    percentiles : sequence of float
        In percent; between two resamples the bound is interpolated linearly, as NumPy does.
    family : {"linear", "logistic"}
        For ``"logistic"`` the predictions, and so the bounds, are probabilities.

    Returns
    -------
    ndarray, shape (n_percentiles, n_samples, n_test)
        The bounds.

    Examples
    --------
    >>> intercepts = np.zeros((1, 4, 3))
    >>> intercepts[0, 0] = 1, 2, 3
    >>> upper_bounds(np.array([[1.0, 0, 0, 0]]), intercepts, [75], "linear")
    array([[[2.5]]])
    """
    bounds = np.empty((len(percentiles), len(coefficients), len(X_test)))
    for sample, one in enumerate(coefficients):
        predictions = one.T @ X_test.T
        if family == "logistic":
            predictions = expit(predictions)
        bounds[:, sample] = np.percentile(predictions, percentiles, axis=0)
    return bounds


def expected_coverage(spread: float, n_resamples: int, percentile: float = 80) -> float:
    r"""Coverage that least squares tends to as the sample grows.

    The estimate errs by a normal amount, and the resamples scatter around it by `spread` times as
    much. With :math:`q` the percentile of `n_resamples` standard normal draws (interpolated between
    two order statistics, as NumPy does), the coverage is :math:`E[\Phi(\text{spread} \cdot q)]`.

    Parameters
    ----------
    spread : float
        Standard deviation of a weight over its mean, see `SPREADS`.
    n_resamples : int
        Number of resamples.
    percentile : float, default=80
        Percentile that serves as bound, in percent (0-100).

    Returns
    -------
    float
        The share of bounds above the truth, between 0 and 1.

    Examples
    --------
    >>> round(expected_coverage(1.0, 10), 3), round(expected_coverage(1.0, 300), 3)
    (0.749, 0.798)
    """
    _check_percentile(percentile)
    rank = percentile / 100 * (n_resamples - 1)
    low = int(rank)
    nodes, node_weights = np.polynomial.legendre.leggauss(200)
    chances, node_weights = (nodes + 1) / 2, node_weights / 2
    # Quantiles of the order statistic below the percentile, and of the next one given it.
    u = stats.beta.ppf(chances, low + 1, n_resamples - low)[:, None]
    q = stats.norm.ppf(u)
    if rank > low:
        v = u + (1 - u) * stats.beta.ppf(chances, 1, n_resamples - low - 1)
        q = q + (rank - low) * (stats.norm.ppf(np.minimum(v, 1 - 1e-16)) - q)
    q = np.broadcast_to(q, (200, 200))
    return float(node_weights @ stats.norm.cdf(spread * q) @ node_weights)


def _holds_one_label(y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return which resamples weigh one label only, shape (n_samples, n_resamples)."""
    positives = (weights * y[:, :, None]).sum(axis=1)
    negatives = (weights * (1 - y[:, :, None])).sum(axis=1)
    return (positives == 0) | (negatives == 0)


def _check_percentile(percentile: float) -> None:
    if not 0 <= percentile <= 100:
        raise ValueError(f"percentile must be in [0, 100], got {percentile}")
    if 0 < percentile < 1:
        raise ValueError(
            f"percentile is in percent, got {percentile}; write {100 * percentile:g} for that share"
        )


def _check_study(
    sample_sizes: Sequence[int],
    weights: Sequence[str],
    n_resamples: Sequence[int],
    percentiles: Sequence[float],
    n_samples: int,
    n_test: int,
) -> None:
    for name in weights:
        if name not in WEIGHTS:
            raise ValueError(f"unknown weights {name!r}; write one of {', '.join(WEIGHTS)}")
    for percentile in percentiles:
        _check_percentile(percentile)
    counts = {"n_samples": [n_samples], "n_test": [n_test], "n_resamples": n_resamples}
    for name, values in (counts | {"sample_sizes": sample_sizes}).items():
        for value in values:
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
