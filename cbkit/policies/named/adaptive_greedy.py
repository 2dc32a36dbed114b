"""Exploit while the best arm looks good enough, else explore at random."""

from __future__ import annotations

from cbkit._base.validation import check_whole
from cbkit.oracles.oracle import as_oracle
from cbkit.policies.choosers.adaptive import PercentileGreedy, ThresholdGreedy
from cbkit.policies.cold_start import ColdStartLike
from cbkit.policies.named.composition import MAB_FIRST, OracleLike, named_policy
from cbkit.policies.policy import Policy


def paper_threshold(threshold: float | None, n_arms: int) -> float:
    """Return `threshold`, or the paper's ``1 / (2 sqrt(n_arms))`` for None."""
    check_whole("n_arms", n_arms, least=2)
    return 0.5 / n_arms**0.5 if threshold is None else threshold


@named_policy
def ContextualAdaptiveGreedy(
    n_arms: int,
    *,
    threshold: float | None = None,
    decay: float = 0.9997,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the best arm if it scores above a decaying threshold, else a random one.

    If ``max_k f_k(x) > z`` choose ``a = argmax_k f_k(x)``, else any arm with the same
    probability; then ``z := z * d``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    threshold : float, optional
        Threshold ``z`` in the first round, from 0 to 1; by default the paper's ``1 / (2
        sqrt(n_arms))``.
    decay : float, default=0.9997
        Factor ``d`` of the threshold per round, above 0 and at most 1.
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
    Algorithm "ContextualAdaptiveGreedy". With many arms and a prior the threshold may never be
    reached; the policy is then `Greedy`.

    Examples
    --------
    >>> ContextualAdaptiveGreedy(4).chooser
    ThresholdGreedy(threshold=0.25, decay=0.9997, explore=RandomExplore())
    """
    return Policy(
        name="ContextualAdaptiveGreedy",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=ThresholdGreedy(threshold=paper_threshold(threshold, n_arms), decay=decay),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def ContextualAdaptiveGreedy2(
    n_arms: int,
    *,
    window: int = 500,
    threshold: float | None = None,
    percentile: float = 30,
    decay: float = 0.9997,
    moving: bool = True,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the best arm if it scores above a percentile of the best scores lately.

    If ``max_k f_k(x) > z`` choose ``a = argmax_k f_k(x)``, else any arm with the same
    probability. From round ``m`` on, ``z`` is the percentile ``p`` of the highest scores of the
    last ``m`` rounds; then ``p := p * d``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    window : int, default=500
        Length ``m`` of the window, in rounds; the paper does not state its own.
    threshold : float, optional
        Threshold ``z`` until the window is full, from 0 to 1; by default the paper's ``1 /
        (2 sqrt(n_arms))``.
    percentile : float, default=30
        Percentile ``p`` of the window that becomes the threshold, in percent (0-100).
    decay : float, default=0.9997
        Factor ``d`` of the percentile per round once the window is full, above 0 and at
        most 1.
    moving : bool, default=True
        Whether the window moves with each round, or starts anew when it is full.
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
    Algorithm "ContextualAdaptiveGreedy2" and the paragraph on a window that does not move.

    Examples
    --------
    >>> ContextualAdaptiveGreedy2(4, window=100).chooser.window
    100
    """
    chooser = PercentileGreedy(
        window=window,
        threshold=paper_threshold(threshold, n_arms),
        percentile=percentile,
        decay=decay,
        moving=moving,
    )
    return Policy(
        name="ContextualAdaptiveGreedy2",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=chooser,
        exclusive_rewards=exclusive_rewards,
    )
