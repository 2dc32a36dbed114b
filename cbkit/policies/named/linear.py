"""Linear bandits: ridge regression per arm, its bounds and its draws."""

from __future__ import annotations

from cbkit.oracles.posteriors.ridge import RidgeOracle
from cbkit.policies.choosers.chooser import HighestValue
from cbkit.policies.cold_start import ColdStartLike
from cbkit.policies.indices import NormalBound, NormalDraw
from cbkit.policies.named.composition import named_policy
from cbkit.policies.policy import Policy


@named_policy
def LinUCB(
    n_arms: int,
    *,
    width: float = 1.0,
    alpha: float = 1.0,
    cold_start: ColdStartLike = None,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the arm with the highest upper bound of a ridge regression.

    Choose ``a = argmax_k w_k . [x, 1] + c * sqrt([x, 1] A_k^-1 [x, 1])``, where
    ``A_k = alpha I + sum_i [x_i, 1] [x_i, 1]'`` over the arm's rows and ``w_k = A_k^-1 sum_i r_i
    [x_i, 1]``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    width : float, default=1.0
        Factor ``c`` of the standard deviation, at least 0.
    alpha : float, default=1.0
        Strength of the ridge penalty, above 0.
    cold_start : ColdStartLike, default=None
        What an arm scores while its oracle has too little to learn from: `MABFirst`,
        `Smoothing`, a pair of both, or ``None`` for the prior of the regression itself.
        Also as plain data, ``{"MABFirst": {"a": 3, "b": 7, "m": 2}}``.
    exclusive_rewards : bool, default=False
        Whether a reward of one arm is recorded as a non-reward of all others, for rows with
        one rewarded arm each.

    Returns
    -------
    Policy
        Unplayed.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    TypeError
        If a keyword is not among the parameters; the closest is suggested.

    Notes
    -----
    Li, Chu, Langford and Schapire (2010), "A contextual-bandit approach to personalized news
    article recommendation", algorithm 1 with disjoint models. Bounds exceed 1 in directions
    that an arm has not seen, and a cold start's scores do not. The paper sets it aside as not
    scaling; see `RidgeOracle` for what is computed.

    Examples
    --------
    >>> LinUCB(3, width=0.5).index
    NormalBound(width=0.5, linear=True)
    """
    return Policy(
        name="LinUCB",
        n_arms=n_arms,
        oracle=RidgeOracle(alpha=alpha, n_arms=n_arms),
        cold_start=cold_start,
        index=NormalBound(width=width, linear=True),
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def LinTS(
    n_arms: int,
    *,
    width: float = 1.0,
    alpha: float = 1.0,
    cold_start: ColdStartLike = None,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the best arm under a draw from each arm's ridge regression (Thompson sampling).

    Choose ``a = argmax_k w_k . [x, 1] + c * sqrt([x, 1] A_k^-1 [x, 1]) * z_k`` with a normal draw
    ``z_k``, anew in each round, where ``A_k = alpha I + sum_i [x_i, 1] [x_i, 1]'`` over the arm's
    rows and ``w_k = A_k^-1 sum_i r_i [x_i, 1]``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    width : float, default=1.0
        Factor ``c`` of the standard deviation, at least 0.
    alpha : float, default=1.0
        Strength of the ridge penalty, above 0.
    cold_start : ColdStartLike, default=None
        What an arm scores while its oracle has too little to learn from: `MABFirst`,
        `Smoothing`, a pair of both, or ``None`` for the prior of the regression itself.
        Also as plain data, ``{"MABFirst": {"a": 3, "b": 7, "m": 2}}``.
    exclusive_rewards : bool, default=False
        Whether a reward of one arm is recorded as a non-reward of all others, for rows with
        one rewarded arm each.

    Returns
    -------
    Policy
        Unplayed.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    TypeError
        If a keyword is not among the parameters; the closest is suggested.

    Notes
    -----
    Agrawal and Goyal (2013), "Thompson sampling for contextual bandits with linear payoffs",
    with a model per arm.

    Examples
    --------
    >>> LinTS(3, alpha=10).oracle
    RidgeOracle(alpha=10, n_arms=3, posterior=True)
    """
    return Policy(
        name="LinTS",
        n_arms=n_arms,
        oracle=RidgeOracle(alpha=alpha, n_arms=n_arms),
        cold_start=cold_start,
        index=NormalDraw(width=width, linear=True),
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )
