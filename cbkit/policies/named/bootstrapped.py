"""Upper confidence bounds and Thompson sampling, from resamples that are drawn at each refit."""

from __future__ import annotations

from cbkit.oracles.oracle import as_oracle
from cbkit.oracles.resampling import Resampling
from cbkit.policies.choosers.chooser import HighestValue
from cbkit.policies.cold_start import ColdStartLike
from cbkit.policies.indices import RandomResample, UpperPercentile
from cbkit.policies.named.composition import MAB_FIRST, OracleLike, named_policy
from cbkit.policies.policy import Policy


@named_policy
def BootstrappedUCB(
    n_arms: int,
    *,
    percentile: float = 80,
    n_resamples: int = 10,
    weights: str = "multinomial",
    kept: bool = False,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the arm with the highest upper percentile of its bootstrap resamples' scores.

    Choose ``a = argmax_k Percentile_p{f_k,1(x), ..., f_k,m(x)}`` over the arm's ``m``
    resamples. At a refit each resample is drawn afresh from the arm's history.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    percentile : float, default=80
        The upper bound, in percent (0-100), interpolated between resamples.
    n_resamples : int, default=10
        Number of bootstrap resamples of each arm's history.
    weights : str, default="multinomial"
        Distribution of the observations' weights in a resample: multinomial (the bootstrap
        itself), poisson, gamma(1,1), gamma(2,2) or uniform.
    kept : bool, default=False
        Whether an observation keeps its weights from one refit to the next, instead of
        drawing all of them afresh; multinomial weights cannot be kept.
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
        If a parameter is out of range, or the oracle cannot learn from such resamples.
    TypeError
        If a keyword is not among the parameters; the closest is suggested.

    Notes
    -----
    Algorithm "BootstrappedUCB".

    Examples
    --------
    >>> BootstrappedUCB(3, percentile=90).index
    UpperPercentile(percentile=90)
    """
    return Policy(
        name="BootstrappedUCB",
        n_arms=n_arms,
        oracle=as_oracle(oracle, Resampling(kind=weights, n_resamples=n_resamples, kept=kept)),
        cold_start=cold_start,
        index=UpperPercentile(percentile=percentile),
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def BootstrappedTS(
    n_arms: int,
    *,
    n_resamples: int = 10,
    weights: str = "multinomial",
    kept: bool = False,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Sample from the posterior by the bootstrap: each arm scores by a resample drawn at random.

    Choose ``a = argmax_k f_k,s(x)``, where ``s`` is drawn from the ``m`` resamples for each arm
    and round. At a refit each resample is drawn afresh from the arm's history.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    n_resamples : int, default=10
        Number of bootstrap resamples of each arm's history.
    weights : str, default="multinomial"
        Distribution of the observations' weights in a resample: multinomial (the bootstrap
        itself), poisson, gamma(1,1), gamma(2,2) or uniform.
    kept : bool, default=False
        Whether an observation keeps its weights from one refit to the next, instead of
        drawing all of them afresh; multinomial weights cannot be kept.
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
        If a parameter is out of range, or the oracle cannot learn from such resamples.
    TypeError
        If a keyword is not among the parameters; the closest is suggested.

    Notes
    -----
    Algorithm "BootstrappedTS".

    Examples
    --------
    >>> BootstrappedTS(3, n_resamples=5).oracle.resampling
    Resampling(kind='multinomial', n_resamples=5, kept=False)
    """
    return Policy(
        name="BootstrappedTS",
        n_arms=n_arms,
        oracle=as_oracle(oracle, Resampling(kind=weights, n_resamples=n_resamples, kept=kept)),
        cold_start=cold_start,
        index=RandomResample(),
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )
