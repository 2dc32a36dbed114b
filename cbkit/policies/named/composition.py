"""What the named algorithms are put together from."""

from __future__ import annotations

from typing import Any, TypedDict

from cbkit.oracles.oracle import as_oracle
from cbkit.oracles.resampling import Resampling
from cbkit.policies.choosers import Chooser
from cbkit.policies.cold_start import MABFirst
from cbkit.policies.indices import Index, Mean
from cbkit.policies.policy import Policy

MAB_FIRST = MABFirst(a=3, b=7, m=2)


class Common(TypedDict, total=False):
    """Keywords that every algorithm with an oracle takes."""

    oracle: Any
    cold_start: Any
    exclusive_rewards: bool


def compose(
    name: str,
    n_arms: int,
    chooser: Chooser,
    *,
    index: Index | None = None,
    resampling: Resampling | None = None,
    oracle: Any = "logistic",
    cold_start: Any = MAB_FIRST,
    exclusive_rewards: bool = False,
    **unknown: Any,
) -> Policy:
    """Put a policy together from a chooser and what else is not a default.

    Parameters
    ----------
    name : str
        Name of the policy, in logs and figures.
    n_arms : int
        Number of arms, at least 2.
    chooser : Chooser
        From one number per arm to an arm.
    index : Index, optional
        From the scores of an arm's resamples to one number; by default their mean.
    resampling : Resampling, optional
        The oracle's resamples; by default one model per arm.
    oracle : str, mapping, classifier or Oracle, default="logistic"
        What learns each arm's expected reward, as for `as_oracle`.
    cold_start : MABFirst, Smoothing, both, a mapping, or None, default=MABFirst(a=3, b=7, m=2)
        What an arm scores while its oracle has too little to learn from, as for `split_cold_start`.
    exclusive_rewards : bool, default=False
        Whether a reward of one arm is a non-reward of all others, as for `Policy`.
    **unknown
        Refused, so that a misspelt parameter is never ignored.

    Returns
    -------
    Policy
        Unplayed.

    Raises
    ------
    TypeError
        If there are unknown parameters.
    ValueError
        If a parameter is out of range, or the oracle cannot learn from such resamples.
    """
    if unknown:  # Python's own message would name `compose`, which the user did not call
        raise TypeError(
            f"{name} has no parameter {', '.join(map(repr, unknown))}; help({name}) lists its own, "
            f"and all policies with an oracle take {', '.join(Common.__annotations__)}"
        )
    return Policy(
        name=name,
        n_arms=n_arms,
        oracle=as_oracle(oracle, resampling),
        cold_start=cold_start,
        index=index or Mean(),
        chooser=chooser,
        exclusive_rewards=exclusive_rewards,
    )
