"""Exploit while the best arm looks good enough, else explore at random."""

from __future__ import annotations

from typing import Unpack

from cbkit.policies.adaptive import PercentileGreedy, ThresholdGreedy
from cbkit.policies.named.composition import Common, compose
from cbkit.policies.policy import Policy


def paper_threshold(threshold: float | None, n_arms: int) -> float:
    """Return `threshold`, or the paper's ``1 / (2 sqrt(n_arms))`` for None."""
    return 0.5 / n_arms**0.5 if threshold is None else threshold


def ContextualAdaptiveGreedy(
    n_arms: int,
    *,
    threshold: float | None = None,
    decay: float = 0.9997,
    **common: Unpack[Common],
) -> Policy:
    """Choose the best arm if it scores above a decaying threshold, else a random one.

    Parameters
    ----------
    n_arms, **common
        As for `compose`.
    threshold : float, optional
        Threshold of the first round; by default the paper's ``1 / (2 sqrt(n_arms))``.
    decay : float, default=0.9997
        Its factor per round.

    Returns
    -------
    Policy
    """
    chooser = ThresholdGreedy(threshold=paper_threshold(threshold, n_arms), decay=decay)
    return compose("ContextualAdaptiveGreedy", n_arms, chooser, **common)


def ContextualAdaptiveGreedy2(
    n_arms: int,
    *,
    window: int = 500,
    threshold: float | None = None,
    percentile: float = 30,
    decay: float = 0.9997,
    moving: bool = True,
    **common: Unpack[Common],
) -> Policy:
    """Adaptive greedy whose threshold is a percentile of the best scores in a window of rounds.

    Parameters
    ----------
    n_arms, **common
        As for `compose`.
    window : int, default=500
        Length of the window, in rounds; the paper does not state its own.
    threshold : float, optional
        Until the window is full; by default ``1 / (2 sqrt(n_arms))``.
    percentile, decay : float, default=30 and 0.9997
        In percent (0-100), and its factor per round once the window is full.
    moving : bool, default=True
        Whether the window moves with each round, or starts anew when it is full.

    Returns
    -------
    Policy
    """
    chooser = PercentileGreedy(
        window=window,
        threshold=paper_threshold(threshold, n_arms),
        percentile=percentile,
        decay=decay,
        moving=moving,
    )
    return compose("ContextualAdaptiveGreedy2", n_arms, chooser, **common)
