"""Resample weights: how much each observation counts in each bootstrap resample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import check_whole

KINDS = ("multinomial", "poisson", "gamma(1,1)", "gamma(2,2)", "uniform")


def draw_weights(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Draw random observation weights, independent over resamples.

    Parameters
    ----------
    kind : {"multinomial", "poisson", "gamma(1,1)", "gamma(2,2)", "uniform"}
        ``multinomial`` is the bootstrap itself: the weights of a resample are counts that sum to
        ``n_observations``. The others draw each weight by itself and so suit data that arrive one
        at a time: Poisson(1), Gamma(1,1) and Gamma(2,2) have mean 1, Uniform(0,1) has mean 1/2.
    shape : tuple of int
        ``(n_observations, ...)``; observations lie along the first axis.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of float, shape `shape`
        The weights.

    Raises
    ------
    ValueError
        If `kind` is unknown.

    Notes
    -----
    Section "Obtaining upper confidence bounds" and appendix "Online bootstrap for UCB".

    Examples
    --------
    >>> weights = draw_weights("multinomial", (5, 3), np.random.default_rng(0))
    >>> weights.sum(axis=0)
    array([5., 5., 5.])
    """
    if kind == "multinomial":
        n_observations, others = shape[0], shape[1:]
        if n_observations == 0:
            return np.zeros(shape)
        counts = rng.multinomial(
            n_observations, np.full(n_observations, 1 / n_observations), others
        )
        return np.moveaxis(counts, -1, 0).astype(np.float64)
    if kind == "poisson":
        return rng.poisson(1.0, shape).astype(np.float64)
    if kind == "gamma(1,1)":
        return rng.standard_exponential(shape)
    if kind == "gamma(2,2)":
        return rng.gamma(2.0, 0.5, shape)
    if kind == "uniform":
        return rng.random(shape)
    raise ValueError(f"unknown kind of resample weights {kind!r}; write one of {', '.join(KINDS)}")


@suggest_keywords
@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How an oracle's resamples are weighted, and whether the weights are kept between refits.

    Parameters
    ----------
    kind : {"multinomial", "poisson", "gamma(1,1)", "gamma(2,2)", "uniform"}, default="multinomial"
        Distribution of the weights, see `draw_weights`.
    n_resamples : int, default=10
        Number of resamples, at least 1.
    kept : bool, default=False
        ``False`` draws all weights afresh at each refit (the paper's offline algorithms). ``True``
        gives each observation its weights once (the paper's online algorithms); refits then start
        from the last solution, which saves a little. Multinomial weights cannot be kept, since
        they sum to the number of observations.

    Examples
    --------
    >>> Resampling(kind="gamma(1,1)", n_resamples=20, kept=True)
    Resampling(kind='gamma(1,1)', n_resamples=20, kept=True)
    """

    kind: str = "multinomial"
    n_resamples: int = 10
    kept: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"unknown kind of resample weights {self.kind!r}; write one of {', '.join(KINDS)}"
            )
        check_whole("n_resamples", self.n_resamples)
        if self.kept and self.kind == "multinomial":
            raise ValueError(
                "multinomial weights sum to the number of observations and cannot be kept as "
                "observations arrive; write kept=False, or gamma(1,1) weights"
            )

    def update(
        self, kept: np.ndarray | None, n_observations: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Return the weights for a refit on `n_observations` observations.

        Parameters
        ----------
        kept : ndarray, shape (n_before, n_resamples), or None
            The weights of the last refit, of which the first rows stay if weights are kept.
        n_observations : int
            Number of observations now.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        ndarray, shape (n_observations, n_resamples)
            The weights.
        """
        if not self.kept or kept is None:
            return draw_weights(self.kind, (n_observations, self.n_resamples), rng)
        fresh = draw_weights(self.kind, (n_observations - len(kept), self.n_resamples), rng)
        return np.concatenate([kept, fresh])


def check_streaming_resampling(resampling: Resampling | None) -> None:
    """Raise an error for resamples that need the whole history, which streaming does not keep."""
    if resampling and resampling.kind == "multinomial":
        raise ValueError(
            "multinomial resamples need the whole history, which a streaming oracle does not keep; "
            'write weights="gamma(1,1)" in a policy, Resampling(kind="gamma(1,1)") in an oracle'
        )
