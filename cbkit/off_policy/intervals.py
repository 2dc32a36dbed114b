"""Intervals for a policy's value: normal, bootstrap, and empirical Bernstein."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtri

from cbkit._base.validation import check_generator, check_number, check_probability, check_whole
from cbkit.off_policy.estimators import Estimator, Parts
from cbkit.off_policy.evidence import Evidence

_MAX_GROUPS = 20_000  # beyond, rounds are resampled in groups: as exact, and far cheaper


class Interval(Protocol):
    """Puts bounds around an estimate."""

    def bounds(self, estimator: Estimator, evidence: Evidence) -> tuple[float, float]:
        """Return the lower and the upper bound."""


def by_page(values: np.ndarray, pages: np.ndarray | None) -> np.ndarray:
    """Return sums of `values`, (n_rounds,) or (n_rounds, n_columns), over each page's rounds."""
    if pages is None:
        return values
    columns = values.reshape(len(values), -1).T
    sums = np.stack([np.bincount(pages, weights=column) for column in columns], axis=1)
    return sums[np.bincount(pages) > 0].reshape(-1, *values.shape[1:])


def standard_error(contributions: np.ndarray, pages: np.ndarray | None = None) -> float:
    """Return the standard error of the mean of contributions, independent from page to page."""
    n = len(contributions)
    centred = by_page(contributions - contributions.mean(), pages)
    n_pages = len(centred)
    if n_pages < 2:
        return float("nan")
    return float(np.sqrt((centred**2).sum() * n_pages / (n_pages - 1)) / n)


@dataclass(frozen=True, kw_only=True)
class NormalInterval:
    """Estimate plus and minus normal quantiles times the standard error.

    Holds where many rounds count for something, so that their mean is about normal. For ratios the
    standard error is that of their first-order expansion; rounds of a page are added up first.

    Parameters
    ----------
    confidence : float, default=0.95
        Share of logs whose interval is to cover the value.

    Examples
    --------
    >>> from cbkit.off_policy import IPS
    >>> evidence = Evidence(rewards=np.array([1.0, 0.0] * 50), weights=np.ones(100))
    >>> np.round(NormalInterval().bounds(IPS(), evidence), 3)          # .5 -+ 1.96 * .0503
    array([0.402, 0.598])
    """

    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_probability("confidence", self.confidence)

    def bounds(self, estimator: Estimator, evidence: Evidence) -> tuple[float, float]:
        """Return the lower and the upper bound."""
        contributions = estimator.parts(evidence).contributions()
        half = ndtri(0.5 + self.confidence / 2) * standard_error(contributions, evidence.pages)
        value = contributions.mean()
        return float(value - half), float(value + half)


@dataclass(frozen=True, kw_only=True)
class BootstrapInterval:
    """Percentiles of the estimate over resamples of the rounds, or of the pages.

    Follows a skewed distribution where the normal interval does not; knows as little as that one
    of large weights that the log happens not to have.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the resamples.
    n_resamples : int, default=1000
        Number of resamples.
    confidence : float, default=0.95
        Share of logs whose interval is to cover the value.

    Notes
    -----
    Efron (1979), Bootstrap methods: another look at the jackknife; resampling pages is the cluster
    bootstrap. More than 20,000 rounds are resampled in groups of neighbours.

    Examples
    --------
    >>> from cbkit.off_policy import IPS
    >>> evidence = Evidence(rewards=np.array([1.0, 0.0] * 50), weights=np.ones(100))
    >>> low, high = BootstrapInterval(rng=np.random.default_rng(0)).bounds(IPS(), evidence)
    >>> round(low, 1), round(high, 1)
    (0.4, 0.6)
    """

    rng: np.random.Generator
    n_resamples: int = 1000
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_generator(self.rng)
        check_whole("n_resamples", self.n_resamples, least=2)
        check_probability("confidence", self.confidence)

    def bounds(self, estimator: Estimator, evidence: Evidence) -> tuple[float, float]:
        """Return the lower and the upper bound."""
        sums = group_sums(estimator.parts(evidence), evidence)
        return self.of_resamples(self.draw_counts(len(sums)) @ sums)

    def draw_counts(self, n_groups: int) -> np.ndarray:
        """Draw how often each group is in each resample, shape (n_resamples, n_groups)."""
        counts = np.empty((self.n_resamples, n_groups))
        for row in counts:
            row[:] = np.bincount(self.rng.integers(n_groups, size=n_groups), minlength=n_groups)
        return counts

    def of_resamples(self, sums: np.ndarray) -> tuple[float, float]:
        """Return the bounds from sums per resample, as of `group_sums`, (n_resamples, 4)."""
        offset, numerator, denominator, n_rounds = sums[sums[:, 2] > 0].T
        if not len(offset):
            return float("nan"), float("nan")
        tail = 50 * (1 - self.confidence)
        values = offset / n_rounds + numerator / denominator
        low, high = np.percentile(values, [tail, 100 - tail])
        return float(low), float(high)


def group_sums(parts: Parts, evidence: Evidence) -> np.ndarray:
    """Return sums of offset, numerator, denominator and rounds over what is resampled together.

    Returns
    -------
    ndarray, shape (n_groups, 4)
        A group is a page, or a round, or of many pages some neighbours.
    """
    columns = np.stack([*parts, np.ones(evidence.n_rounds)], axis=1)
    sums = by_page(columns, evidence.pages)
    if len(sums) > _MAX_GROUPS:
        starts = np.linspace(0, len(sums), _MAX_GROUPS, endpoint=False).astype(np.int64)
        sums = np.add.reduceat(sums, starts)
    return sums


@dataclass(frozen=True, kw_only=True)
class BernsteinInterval:
    """Empirical Bernstein bounds: cover with the given confidence for every n, by a guarantee.

    ``mean -+ (sqrt(2 V l / n) + 7 (high - low) l / (3 (n - 1)))`` with ``l = log(4 / (1 -
    confidence))`` and ``V`` the sample variance of contributions in ``[low, high]``. The guarantee
    is for the estimator's expectation, so for the value where it is unbiased; ratios have none and
    are refused.

    Parameters
    ----------
    largest_weight : float
        What no weight can exceed, in the log or out of it: ``n_arms`` for a uniformly random log,
        in general the largest ratio of the target's to the logging policy's probabilities. The
        largest weight *seen* gives no guarantee.
    confidence : float, default=0.95
        Share of logs whose interval covers the value, at least.

    Notes
    -----
    Maurer and Pontil (2009), Empirical Bernstein bounds and sample-variance penalization, theorem
    4, for both sides.

    Examples
    --------
    >>> from cbkit.off_policy import IPS
    >>> evidence = Evidence(rewards=np.array([1.0, 0.0] * 50), weights=np.ones(100))
    >>> np.round(BernsteinInterval(largest_weight=1).bounds(IPS(), evidence), 2)
    array([0.25, 0.75])
    """

    largest_weight: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_number("largest_weight", self.largest_weight)
        check_probability("confidence", self.confidence)

    def bounds(self, estimator: Estimator, evidence: Evidence) -> tuple[float, float]:
        """Return the lower and the upper bound."""
        if estimator.spread is None:
            raise ValueError(
                f"{type(estimator).__name__} is a ratio, for which empirical Bernstein bounds do "
                "not hold; write IPS or DoublyRobust, or take another interval"
            )
        seen = float(evidence.weights.max())
        if seen > self.largest_weight * (1 + 1e-9):
            row = int(evidence.weights.argmax())
            raise ValueError(
                f"largest_weight must bound every weight, got {self.largest_weight:.6g}, but row "
                f"{row} has {seen:.6g}"
            )
        pages = evidence.pages
        sums = by_page(estimator.parts(evidence).contributions(), pages)
        n_pages = len(sums)
        if n_pages < 2:
            raise ValueError("empirical Bernstein bounds need at least 2 rounds or pages, got 1")
        constant, multiple = estimator.spread
        largest_page = 1 if pages is None else int(np.bincount(pages).max())
        # The estimate is the mean over pages of their sums, scaled by pages per round.
        scale = n_pages / evidence.n_rounds
        sums = sums * scale
        width = (constant + multiple * self.largest_weight) * largest_page * scale
        log = np.log(4 / (1 - self.confidence))
        half = np.sqrt(2 * sums.var(ddof=1) * log / n_pages)
        half += 7 * width * log / (3 * (n_pages - 1))
        value = sums.mean()
        return float(value - half), float(value + half)
