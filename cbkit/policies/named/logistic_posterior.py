"""Bounds and draws from the posterior of each arm's logistic regression, without resamples."""

from __future__ import annotations

from scipy.special import ndtri

from cbkit._base.validation import check_percentile
from cbkit.oracles.oracle import Oracle
from cbkit.oracles.posteriors.laplace import LaplaceOracle
from cbkit.oracles.posteriors.streaming_laplace import StreamingLaplaceOracle
from cbkit.policies.choosers.chooser import HighestValue
from cbkit.policies.cold_start import ColdStartLike
from cbkit.policies.indices import NormalBound, NormalDraw
from cbkit.policies.named.composition import MAB_FIRST, named_policy
from cbkit.policies.policy import Policy


def laplace_oracle(C: float, streaming: bool) -> Oracle:
    """Return an oracle with Laplace's posterior, streaming or refit on whole histories."""
    return StreamingLaplaceOracle(C=C, posterior=True) if streaming else LaplaceOracle(C=C)


@named_policy
def LogisticUCB(
    n_arms: int,
    *,
    percentile: float = 80,
    C: float = 1.0,
    streaming: bool = True,
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the arm with the highest upper percentile of its posterior.

    Choose ``a = argmax_k sigmoid(m_k(x) + z_p * s_k(x))``, with ``m_k(x)`` and ``s_k(x)`` the
    mean and the standard deviation of the arm's logit, and ``z_p`` the normal distribution's
    percentile ``p``. No resamples are drawn.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    percentile : float, default=80
        The upper bound ``p``, in percent (50-100, the end excluded).
    C : float, default=1.0
        Variance of the prior of each coefficient, scikit-learn's inverse strength of
        regularisation.
    streaming : bool, default=True
        Whether `StreamingLaplaceOracle` learns from each block's rows alone, or
        `LaplaceOracle` from the whole history at each refit.
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
    Laplace's approximation; in place of the resamples of the paper's "BootstrappedUCB".
    Streaming, it is that of Chapelle and Li (2011), "An empirical evaluation of Thompson
    sampling".

    Examples
    --------
    >>> round(LogisticUCB(3, percentile=97.5).index.width, 2)
    1.96
    """
    return Policy(
        name="LogisticUCB",
        n_arms=n_arms,
        oracle=laplace_oracle(C, streaming),
        cold_start=cold_start,
        index=NormalBound(width=_deviations(percentile)),
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def LogisticTS(
    n_arms: int,
    *,
    width: float = 1.0,
    C: float = 1.0,
    streaming: bool = True,
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the best arm under a draw from each arm's posterior (Thompson sampling).

    Choose ``a = argmax_k sigmoid(m_k(x) + w * s_k(x) * z_k)``, with ``m_k(x)`` and ``s_k(x)`` the
    mean and the standard deviation of the arm's logit, and ``z_k`` a normal draw, anew in each
    round.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    width : float, default=1.0
        Factor ``w`` of the standard deviation, at least 0; below 1 explores less.
    C : float, default=1.0
        Variance of the prior of each coefficient, scikit-learn's inverse strength of
        regularisation.
    streaming : bool, default=True
        Whether `StreamingLaplaceOracle` learns from each block's rows alone, or
        `LaplaceOracle` from the whole history at each refit.
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
    Chapelle and Li (2011), "An empirical evaluation of Thompson sampling", whose display
    advertising takes a width of 0.5 beside 1; in place of the resamples of the paper's
    "BootstrappedTS".

    Examples
    --------
    >>> LogisticTS(3, streaming=False).oracle
    LaplaceOracle(C=1.0)
    """
    return Policy(
        name="LogisticTS",
        n_arms=n_arms,
        oracle=laplace_oracle(C, streaming),
        cold_start=cold_start,
        index=NormalDraw(width=width),
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )


def _deviations(percentile: float) -> float:
    check_percentile(percentile)
    if not 50 <= percentile < 100:
        raise ValueError(
            f"percentile of an upper bound must be in [50, 100), got {percentile!r}; write 80"
        )
    return float(ndtri(percentile / 100))
