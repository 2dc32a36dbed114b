"""Indices: from the scores of an arm's resamples to one number per arm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from cbkit._keywords import suggest_keywords
from cbkit._validation import check_percentile


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
