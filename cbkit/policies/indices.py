"""Indices: from the scores of an arm's resamples to one number per arm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy.special import expit, logit

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import check_number, check_percentile


class Index(Protocol):
    """Turns scores (n_rounds, n_arms, n_resamples) into an index (n_rounds, n_arms)."""

    random: bool

    def __call__(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return one number per round and arm."""


@dataclass(kw_only=True)
class Mean:
    """Index each arm by the mean of its resamples' scores; with one oracle, by its score.

    Examples
    --------
    >>> Mean()(np.array([[[0.1, 0.3]]]), np.random.default_rng(0))
    array([[0.2]])
    """

    random: bool = field(default=False, init=False, repr=False)

    def __call__(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the means; `rng` is not used."""
        return scores[:, :, 0] if scores.shape[2] == 1 else scores.mean(axis=2)


@suggest_keywords
@dataclass(kw_only=True)
class UpperPercentile:
    """Index each arm by a percentile of its resamples' scores (BootstrappedUCB, step 3).

    Parameters
    ----------
    percentile : float, default=80
        Upper bound, in percent (0-100); linear interpolation between resamples.

    Examples
    --------
    >>> scores = np.linspace(0, 1, 11).reshape(1, 1, 11)   # (n_rounds, n_arms, n_resamples)
    >>> UpperPercentile(percentile=80)(scores, np.random.default_rng(0))
    array([[0.8]])
    """

    percentile: float = 80
    random: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        check_percentile(self.percentile)

    def __call__(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the percentiles; `rng` is not used."""
        return np.percentile(scores, self.percentile, axis=2)


@dataclass(kw_only=True)
class RandomResample:
    """Index each arm by one of its resamples, drawn anew per round and arm (BootstrappedTS).

    Examples
    --------
    >>> scores = np.array([[[0.1, 0.1], [0.7, 0.7]]])
    >>> RandomResample()(scores, np.random.default_rng(0))
    array([[0.1, 0.7]])
    """

    random: bool = field(default=True, init=False, repr=False)

    def __call__(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the drawn resamples' scores."""
        n_rounds, n_arms, n_resamples = scores.shape
        drawn = rng.integers(n_resamples, size=(n_rounds, n_arms))
        return np.take_along_axis(scores, drawn[:, :, None], axis=2)[:, :, 0]

    def entries(self, scores: np.ndarray) -> np.ndarray:
        """Return the numbers of which each arm's is drawn with the same probability.

        Takes and returns shape (n_arms, n_resamples): the scores themselves.
        """
        return scores


@dataclass(kw_only=True)
class SharedResample:
    """Index all arms by the same resample, drawn anew per round: one of several policies plays.

    Examples
    --------
    >>> scores = np.array([[[0.1, 0.7], [0.2, 0.8]]])
    >>> SharedResample()(scores, np.random.default_rng(0))
    array([[0.7, 0.8]])
    """

    random: bool = field(default=True, init=False, repr=False)
    shared: bool = field(default=True, init=False, repr=False)

    def __call__(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the drawn resample's scores."""
        n_rounds, _, n_resamples = scores.shape
        drawn = rng.integers(n_resamples, size=(n_rounds, 1, 1))
        return np.take_along_axis(scores, drawn, axis=2)[:, :, 0]

    def entries(self, scores: np.ndarray) -> np.ndarray:
        """Return the numbers of which each arm's is drawn: the same column for all arms.

        Takes and returns shape (n_arms, n_resamples): the scores themselves.
        """
        return scores


def _check_width(width: float) -> None:
    check_number("width", width)
    if width < 0:
        raise ValueError(f"width must be at least 0 standard deviations, got {width!r}")


def _at(scores: np.ndarray, deviations: float | np.ndarray, linear: bool) -> np.ndarray:
    """Return the scores so many standard deviations from the mean, shape (n_rounds, n_arms)."""
    if scores.shape[2] != 2:
        raise ValueError(
            "this index needs an oracle with a posterior, whose scores are of shape (n_rounds, "
            f"n_arms, 2); got {scores.shape}; write LaplaceOracle(), RidgeOracle() or "
            "StreamingLaplaceOracle(posterior=True)"
        )
    mean, above = (scores if linear else logit(scores)).transpose(2, 0, 1)
    moved = mean + deviations * (above - mean)
    return moved if linear else expit(moved)


@suggest_keywords
@dataclass(kw_only=True)
class NormalBound:
    """Index each arm by an upper bound: its mean and so many standard deviations.

    Parameters
    ----------
    width : float, default=1.0
        Number of standard deviations, at least 0.
    linear : bool, default=False
        Whether the posterior is of the score itself, as `RidgeOracle`'s, or of its logit.

    Examples
    --------
    >>> scores = np.array([[[0.2, 0.3]]])              # at the mean, and one deviation above
    >>> NormalBound(width=2.0, linear=True)(scores, np.random.default_rng(0))
    array([[0.4]])
    """

    width: float = 1.0
    linear: bool = False
    random: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        _check_width(self.width)

    def __call__(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the bounds; `rng` is not used."""
        return _at(scores, self.width, self.linear)


@suggest_keywords
@dataclass(kw_only=True)
class NormalDraw:
    """Index each arm by a draw from its posterior, anew per round and arm (Thompson sampling).

    Parameters
    ----------
    width : float, default=1.0
        Factor of the standard deviation, at least 0.
    linear : bool, default=False
        Whether the posterior is of the score itself, as `RidgeOracle`'s, or of its logit.

    Examples
    --------
    >>> scores = np.array([[[0.2, 0.2], [0.5, 0.5]]])  # no spread: the means
    >>> NormalDraw()(scores, np.random.default_rng(0))
    array([[0.2, 0.5]])
    """

    width: float = 1.0
    linear: bool = False
    random: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        _check_width(self.width)

    def __call__(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the draws."""
        return _at(scores, self.width * rng.standard_normal(scores.shape[:2]), self.linear)
