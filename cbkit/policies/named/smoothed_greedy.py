"""Greedy with smoothing alone, the paper's own formula with nothing else."""

from __future__ import annotations

from cbkit.oracles.oracle import as_oracle
from cbkit.policies.choosers.chooser import HighestValue
from cbkit.policies.cold_start import ColdStartLike, Smoothing
from cbkit.policies.named.composition import OracleLike, named_policy
from cbkit.policies.policy import Policy

SMOOTHED = Smoothing(a=1, b=2)


@named_policy
def SmoothedGreedy(
    n_arms: int,
    *,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = SMOOTHED,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the arm of highest smoothed expected reward.

    ``a = argmax_k (n_k f_k(x) + 1) / (n_k + 2)``, with ``n_k`` the arm's number of rounds: an
    unplayed arm scores 1/2, and an arm that is never rewarded ``1 / (n_k + 2)``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    oracle : OracleLike, default="logistic"
        What learns each arm's expected reward: ``"logistic"``, ``"streaming-laplace"`` or
        ``"streaming-logistic"``, one of them with its parameters as in
        ``{"logistic": {"C": 10.0}}``, a scikit-learn classifier, or an oracle such as
        `ForestOracle`.
    cold_start : ColdStartLike, default=Smoothing(a=1, b=2)
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
    `Greedy` with the smoothing of section "Cold-start problem" and its constants (1, 2), which
    the paper suggests beside others.

    Examples
    --------
    >>> SmoothedGreedy(3).cold_start
    Smoothing(a=1.0, b=2.0)
    """
    return Policy(
        name="SmoothedGreedy",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )
