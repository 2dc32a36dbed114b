"""Explore the arm whose oracle would learn most."""

from __future__ import annotations

from typing import Unpack

from cbkit.policies import choosers
from cbkit.policies.adaptive import PercentileGreedy
from cbkit.policies.exploration import ActiveExplore, Explore
from cbkit.policies.named.adaptive_greedy import paper_threshold
from cbkit.policies.named.composition import Common, compose
from cbkit.policies.policy import Policy


def ActiveExplorer(
    n_arms: int,
    *,
    explore_probability: float = 0.15,
    explore: Explore | str = "weighted",
    **common: Unpack[Common],
) -> Policy:
    """Explore, with a given probability, the arm whose oracle would learn most; else exploit.

    Parameters
    ----------
    n_arms, **common
        As for `compose`.
    explore_probability : float, default=0.15
        Constant over the rounds.
    explore : {"weighted", "min", "max"} or Explore, default="weighted"
        A criterion of `ActiveExplore`, or an `ActiveExplore` with gradient norms of its own.

    Returns
    -------
    Policy

    Notes
    -----
    Algorithm "ActiveExplorer". Its listing exploits with probability p; the experiments give 15% as
    the probability of exploring, which is followed here.
    """
    chooser = choosers.EpsilonMix(explore_probability=explore_probability, explore=_active(explore))
    return compose("ActiveExplorer", n_arms, chooser, **common)


def ActiveAdaptiveGreedy(
    n_arms: int,
    *,
    explore: Explore | str = "weighted",
    window: int = 500,
    threshold: float | None = None,
    percentile: float = 30,
    decay: float = 0.9997,
    moving: bool = True,
    **common: Unpack[Common],
) -> Policy:
    """`ContextualAdaptiveGreedy2` that explores the arm whose oracle would learn most.

    Parameters
    ----------
    n_arms, window, threshold, percentile, decay, moving, **common
        As for `ContextualAdaptiveGreedy2`.
    explore : {"weighted", "min", "max"} or Explore, default="weighted"
        As for `ActiveExplorer`.

    Returns
    -------
    Policy

    Notes
    -----
    Algorithm "ActiveAdaptiveGreedy". Its listing takes a decay rate and has no line for it; the
    percentile decays as in `ContextualAdaptiveGreedy2`.
    """
    chooser = PercentileGreedy(
        window=window,
        threshold=paper_threshold(threshold, n_arms),
        percentile=percentile,
        decay=decay,
        moving=moving,
        explore=_active(explore),
    )
    return compose("ActiveAdaptiveGreedy", n_arms, chooser, **common)


def _active(explore: Explore | str) -> Explore:
    return ActiveExplore(criterion=explore) if isinstance(explore, str) else explore
