"""The paper's algorithms by name, each a short composition.

Those with an oracle take three more keywords, `Common`: ``oracle`` ("logistic", any scikit-learn
classifier, or an oracle), ``cold_start`` (MABFirst, Smoothing, both, or None) and
``exclusive_rewards``. Defaults are the paper's where it states them; `registry` adds those that
depend on the data set. Errors are those of `compose`.
"""

from __future__ import annotations

from typing import Unpack

from cbkit.oracles.resampling import Resampling
from cbkit.policies import choosers
from cbkit.policies.adaptive import AdaptiveGreedy, PercentileAdaptiveGreedy
from cbkit.policies.composition import Common, compose
from cbkit.policies.exploration import ActiveExplore, Explore
from cbkit.policies.indices import RandomResample, UpperPercentile
from cbkit.policies.policy import Policy


def _threshold(threshold: float | None, n_arms: int) -> float:
    """Return `threshold`, or the paper's ``1 / (2 sqrt(n_arms))`` for None."""
    return 0.5 / n_arms**0.5 if threshold is None else threshold


def BootstrappedUCB(
    n_arms: int,
    *,
    percentile: float = 80,
    n_resamples: int = 10,
    weights: str = "multinomial",
    kept: bool = False,
    **common: Unpack[Common],
) -> Policy:
    """Choose the highest upper percentile of resamples that are drawn afresh at each refit.

    Parameters
    ----------
    n_arms, **common
        As for `compose`.
    percentile : float, default=80
        Upper bound, in percent (0-100).
    n_resamples : int, default=10
        Number of resamples of each arm's history.
    weights : str, default="multinomial"
        Kind of the resamples' weights, see `Resampling`.
    kept : bool, default=False
        Whether an observation keeps its weights from one refit to the next.

    Returns
    -------
    Policy
    """
    return compose(
        "BootstrappedUCB",
        n_arms,
        choosers.Greedy(),
        index=UpperPercentile(percentile=percentile),
        resampling=Resampling(kind=weights, n_resamples=n_resamples, kept=kept),
        **common,
    )


def OnlineBootstrappedUCB(
    n_arms: int,
    *,
    percentile: float = 80,
    n_resamples: int = 10,
    weights: str = "gamma(1,1)",
    kept: bool = True,
    **common: Unpack[Common],
) -> Policy:
    """Choose the highest upper percentile of resamples that weight each observation once.

    With a streaming oracle this is the paper's online algorithm to the letter; an oracle that is
    refit sees the same weights again in each refit.

    Parameters
    ----------
    n_arms, percentile, n_resamples, **common
        As for `BootstrappedUCB`.
    weights, kept : str and bool, default="gamma(1,1)" and True
        As there.

    Returns
    -------
    Policy
    """
    return compose(
        "OnlineBootstrappedUCB",
        n_arms,
        choosers.Greedy(),
        index=UpperPercentile(percentile=percentile),
        resampling=Resampling(kind=weights, n_resamples=n_resamples, kept=kept),
        **common,
    )


def BootstrappedTS(
    n_arms: int,
    *,
    n_resamples: int = 10,
    weights: str = "multinomial",
    kept: bool = False,
    **common: Unpack[Common],
) -> Policy:
    """Thompson sampling: each arm scores by a resample drawn at random for itself.

    Parameters and result as for `BootstrappedUCB`, without a percentile.
    """
    return compose(
        "BootstrappedTS",
        n_arms,
        choosers.Greedy(),
        index=RandomResample(),
        resampling=Resampling(kind=weights, n_resamples=n_resamples, kept=kept),
        **common,
    )


def OnlineBootstrappedTS(
    n_arms: int,
    *,
    n_resamples: int = 10,
    weights: str = "gamma(1,1)",
    kept: bool = True,
    **common: Unpack[Common],
) -> Policy:
    """Thompson sampling over resamples that weight each observation once.

    Parameters and result as for `OnlineBootstrappedUCB`, without a percentile.
    """
    return compose(
        "OnlineBootstrappedTS",
        n_arms,
        choosers.Greedy(),
        index=RandomResample(),
        resampling=Resampling(kind=weights, n_resamples=n_resamples, kept=kept),
        **common,
    )


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
    chooser = AdaptiveGreedy(threshold=_threshold(threshold, n_arms), decay=decay)
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
    chooser = PercentileAdaptiveGreedy(
        window=window,
        threshold=_threshold(threshold, n_arms),
        percentile=percentile,
        decay=decay,
        moving=moving,
    )
    return compose("ContextualAdaptiveGreedy2", n_arms, chooser, **common)


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
    chooser = choosers.EpsilonGreedy(
        explore_probability=explore_probability, explore=_active(explore)
    )
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
    chooser = PercentileAdaptiveGreedy(
        window=window,
        threshold=_threshold(threshold, n_arms),
        percentile=percentile,
        decay=decay,
        moving=moving,
        explore=_active(explore),
    )
    return compose("ActiveAdaptiveGreedy", n_arms, chooser, **common)


def _active(explore: Explore | str) -> Explore:
    return ActiveExplore(criterion=explore) if isinstance(explore, str) else explore
