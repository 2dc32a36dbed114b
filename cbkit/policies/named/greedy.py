"""Choose the arm of highest expected reward, always, mostly, or the likelier the higher."""

from __future__ import annotations

from cbkit.oracles.oracle import as_oracle
from cbkit.policies.choosers.chooser import EpsilonMix, HighestValue, SoftmaxDraw
from cbkit.policies.cold_start import ColdStartLike
from cbkit.policies.named.composition import MAB_FIRST, OracleLike, named_policy
from cbkit.policies.policy import Policy


@named_policy
def Greedy(
    n_arms: int,
    *,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the arm of highest expected reward.

    ``a = argmax_k f_k(x)``. All exploration is the cold start's.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
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
    A baseline that the paper lacks: its "Epsilon-Greedy" with a probability of 0.

    Examples
    --------
    >>> Greedy(3).chooser
    HighestValue()
    """
    return Policy(
        name="Greedy",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def EpsilonGreedy(
    n_arms: int,
    *,
    explore_probability: float = 0.2,
    decay: float = 0.9999,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose a random arm with a decaying probability, else the arm of highest expected reward.

    With probability ``1 - p`` choose ``a = argmax_k f_k(x)``, else any arm with the same
    probability; then ``p := p * d``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    explore_probability : float, default=0.2
        Probability ``p`` of a random arm in the first round, from 0 to 1.
    decay : float, default=0.9999
        Factor ``d`` of the probability per round, above 0 and at most 1.
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
    Algorithm "Epsilon-Greedy"; probability and decay are those of section "Empirical
    evaluation".

    Examples
    --------
    >>> EpsilonGreedy(3, explore_probability=0.1).chooser
    EpsilonMix(explore_probability=0.1, decay=0.9999, explore=RandomExplore())
    """
    return Policy(
        name="EpsilonGreedy",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=EpsilonMix(explore_probability=explore_probability, decay=decay),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def SoftmaxExplorer(
    n_arms: int,
    *,
    multiplier: float = 2.0,
    inflation: float = 1.001,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Draw an arm by a softmax of the expected rewards' inverse sigmoids.

    ``P(arm k) = softmax_k(m * logit(f_k(x)))``; then ``m := m * i``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    multiplier : float, default=2.0
        Multiplier ``m`` in the first round, above 0; the larger, the greedier.
    inflation : float, default=1.001
        Factor ``i`` of the multiplier per round, at least 1.
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
    Algorithm "SoftmaxExplorer"; multiplier and inflation are those of section "Empirical
    evaluation".

    Examples
    --------
    >>> SoftmaxExplorer(3).chooser
    SoftmaxDraw(multiplier=2.0, inflation=1.001)
    """
    return Policy(
        name="SoftmaxExplorer",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=SoftmaxDraw(multiplier=multiplier, inflation=inflation),
        exclusive_rewards=exclusive_rewards,
    )
