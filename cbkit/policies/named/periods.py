"""Baselines that choose at random in some rounds and the best arm in the others."""

from __future__ import annotations

from cbkit.oracles.oracle import as_oracle
from cbkit.policies.choosers.chooser import AlternatingPeriods, RandomThenBest
from cbkit.policies.cold_start import ColdStartLike
from cbkit.policies.named.composition import MAB_FIRST, OracleLike, named_policy
from cbkit.policies.policy import Policy


@named_policy
def ExploreThenExploit(
    n_arms: int,
    *,
    turning_point: int,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = None,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose at random up to a turning point, then the arm of highest expected reward.

    In the rounds ``t < turning_point`` (t = 1, 2, ...) choose any arm with the same
    probability, else ``a = argmax_k f_k(x)``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    turning_point : int
        First round that exploits. The paper's depends on the data set, see
        `paper_hyperparameters`.
    oracle : OracleLike, default="logistic"
        What learns each arm's expected reward: ``"logistic"``, ``"streaming-laplace"`` or
        ``"streaming-logistic"``, one of them with its parameters as in
        ``{"logistic": {"C": 10.0}}``, a scikit-learn classifier, or an oracle such as
        `ForestOracle`.
    cold_start : ColdStartLike, default=None
        What an arm scores while its oracle has too little to learn from: `MABFirst`,
        `Smoothing`, a pair of both, or ``None`` for its mean reward so far, and 1/2 while
        it is unplayed. Also as plain data, ``{"MABFirst": {"a": 3, "b": 7, "m": 2}}``.
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
    Algorithm "Explore-Then-Exploit", without a cold start as in the paper.

    Examples
    --------
    >>> ExploreThenExploit(3, turning_point=500).chooser
    RandomThenBest(turning_point=500)
    """
    return Policy(
        name="ExploreThenExploit",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=RandomThenBest(turning_point=turning_point),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def AlternatingEpochs(
    n_arms: int,
    *,
    explore_rounds: int = 50,
    exploit_rounds: int = 200,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Alternate periods of random choices and of the best arm.

    For `explore_rounds` rounds choose any arm with the same probability, for `exploit_rounds`
    rounds ``a = argmax_k f_k(x)``, and so on.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    explore_rounds : int, default=50
        Length of a period of random choices, in rounds; the paper does not state any.
    exploit_rounds : int, default=200
        Length of a period of best choices, in rounds; the paper does not state any.
    oracle : OracleLike, default="logistic"
        What learns each arm's expected reward: ``"logistic"``, ``"streaming-laplace"`` or
        ``"streaming-logistic"``, one of them with its parameters as in
        ``{"logistic": {"C": 10.0}}``, a scikit-learn classifier, or an oracle such as
        `ForestOracle`.
    cold_start : ColdStartLike, default=MABFirst(a=3, b=7, m=2)
        What an arm scores while its oracle has too little to learn from: `MABFirst`,
        `Smoothing`, a pair of both, or ``None`` for its mean reward so far, and 1/2 while
        it is unplayed. Also as plain data, ``{"MABFirst": {"a": 3, "b": 7, "m": 2}}``.
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
    Section "Establishing baselines", on periods of exploring and of exploiting.

    Examples
    --------
    >>> AlternatingEpochs(3).chooser
    AlternatingPeriods(explore_rounds=50, exploit_rounds=200)
    """
    return Policy(
        name="AlternatingEpochs",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=AlternatingPeriods(explore_rounds=explore_rounds, exploit_rounds=exploit_rounds),
        exclusive_rewards=exclusive_rewards,
    )
