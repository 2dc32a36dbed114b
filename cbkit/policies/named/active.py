"""Explore the arm whose oracle would learn most, by the criteria of active learning."""

from __future__ import annotations

from cbkit.oracles.oracle import as_oracle
from cbkit.policies.choosers.adaptive import PercentileGreedy
from cbkit.policies.choosers.chooser import EpsilonMix
from cbkit.policies.choosers.exploration import ActiveExplore, Explore
from cbkit.policies.cold_start import ColdStartLike
from cbkit.policies.named.adaptive_greedy import paper_threshold
from cbkit.policies.named.composition import MAB_FIRST, OracleLike, named_policy
from cbkit.policies.policy import Policy


@named_policy
def ActiveExplorer(
    n_arms: int,
    *,
    explore_probability: float = 0.15,
    explore: Explore | str = "weighted",
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Explore, with a given probability, the arm whose oracle would learn most; else exploit.

    With probability ``1 - p`` choose ``a = argmax_k f_k(x)``, else the arm with the largest
    ``(1 - f_k) * |g_k(x, 0)| + f_k * |g_k(x, 1)|``, where ``g_k(x, r)`` is the gradient of its
    oracle's loss under the reward ``r``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    explore_probability : float, default=0.15
        Probability ``p`` of exploring, the same in all rounds, from 0 to 1.
    explore : {"weighted", "min", "max"} or Explore, default="weighted"
        How the norms of the gradients under either reward become one number: their
        expectation, the smaller or the larger. An `ActiveExplore` may have gradient norms
        of its own, for oracles that are not logistic.
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
    Algorithm "ActiveExplorer". Its listing exploits with probability p; the experiments give
    15% as the probability of exploring, which is followed here.

    Examples
    --------
    >>> ActiveExplorer(3, explore="max").chooser.explore.criterion
    'max'
    """
    return Policy(
        name="ActiveExplorer",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=EpsilonMix(explore_probability=explore_probability, explore=_active(explore)),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def ActiveAdaptiveGreedy(
    n_arms: int,
    *,
    explore: Explore | str = "weighted",
    window: int = 500,
    threshold: float | None = None,
    percentile: float = 30,
    decay: float = 0.9997,
    moving: bool = True,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the best arm if it scores well enough, else the arm whose oracle would learn most.

    If ``max_k f_k(x) > z`` choose ``a = argmax_k f_k(x)``, else the arm with the largest ``(1 -
    f_k) * |g_k(x, 0)| + f_k * |g_k(x, 1)|``, where ``g_k(x, r)`` is the gradient of its
    oracle's loss under the reward ``r``. From round ``m`` on, ``z`` is the percentile ``p`` of
    the highest scores of the last ``m`` rounds; then ``p := p * d``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    explore : {"weighted", "min", "max"} or Explore, default="weighted"
        How the norms of the gradients under either reward become one number: their
        expectation, the smaller or the larger. An `ActiveExplore` may have gradient norms
        of its own, for oracles that are not logistic.
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
    Algorithm "ActiveAdaptiveGreedy". Its listing takes a decay rate and has no line for it; the
    percentile decays as in "ContextualAdaptiveGreedy2".

    Examples
    --------
    >>> ActiveAdaptiveGreedy(4).chooser.threshold
    0.25
    """
    chooser = PercentileGreedy(
        window=window,
        threshold=paper_threshold(threshold, n_arms),
        percentile=percentile,
        decay=decay,
        moving=moving,
        explore=_active(explore),
    )
    return Policy(
        name="ActiveAdaptiveGreedy",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=chooser,
        exclusive_rewards=exclusive_rewards,
    )


def _active(explore: Explore | str) -> Explore:
    return ActiveExplore(criterion=explore) if isinstance(explore, str) else explore
