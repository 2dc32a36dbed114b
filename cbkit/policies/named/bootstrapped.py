"""Upper confidence bounds and Thompson sampling over bootstrap resamples."""

from __future__ import annotations

from typing import Unpack

from cbkit.oracles.resampling import Resampling
from cbkit.policies import choosers
from cbkit.policies.indices import RandomResample, UpperPercentile
from cbkit.policies.named.composition import Common, compose
from cbkit.policies.policy import Policy


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
        choosers.HighestValue(),
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
        choosers.HighestValue(),
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
        choosers.HighestValue(),
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
        choosers.HighestValue(),
        index=RandomResample(),
        resampling=Resampling(kind=weights, n_resamples=n_resamples, kept=kept),
        **common,
    )
