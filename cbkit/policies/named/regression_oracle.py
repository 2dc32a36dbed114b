"""Bandits that call a regression oracle: inverse gaps, optimism by excess loss, bagging."""

from __future__ import annotations

from cbkit._base.validation import check_number
from cbkit.oracles.oracle import as_oracle
from cbkit.oracles.resampling import Resampling
from cbkit.policies.choosers.chooser import HighestValue
from cbkit.policies.choosers.inverse_gap import InverseGapWeighting
from cbkit.policies.cold_start import ColdStartLike
from cbkit.policies.indices import NormalBound, SharedResample
from cbkit.policies.named.composition import MAB_FIRST, OracleLike, named_policy
from cbkit.policies.named.logistic_posterior import laplace_oracle
from cbkit.policies.named.smoothed_greedy import SMOOTHED
from cbkit.policies.policy import Policy


@named_policy
def SquareCB(
    n_arms: int,
    *,
    scale: float = 100.0,
    exponent: float = 0.5,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = SMOOTHED,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose each arm the seldomer the worse it looks, by inverse gap weighting.

    In round ``t`` choose arm ``k`` with probability ``1 / (n_arms + g * (max_j f_j(x) - f_k(x)))``,
    else the best arm, with ``g = scale * pow(n_arms * t, exponent)``. Probabilities are exact, and
    logged, where the cold start draws none.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    scale : float, default=100.0
        Factor of the rate ``g``, above 0; the larger, the greedier. Of 1 to 300 the best
            over three real sets (medical, enron, BibTeX) was 100.
    exponent : float, default=0.5
        How the rate grows with arms and rounds, at least 0.
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
    Foster and Rakhlin (2020), "Beyond UCB: optimal and efficient contextual bandits with
    regression oracles", algorithm 1 and its learning rate; the scale stands for what is not
    known of the oracle's regret.

    Examples
    --------
    >>> SquareCB(3).chooser
    InverseGapWeighting(scale=100.0, exponent=0.5)
    """
    return Policy(
        name="SquareCB",
        n_arms=n_arms,
        oracle=as_oracle(oracle),
        cold_start=cold_start,
        chooser=InverseGapWeighting(scale=scale, exponent=exponent),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def RegCB(
    n_arms: int,
    *,
    excess_loss: float = 0.5,
    C: float = 1.0,
    streaming: bool = True,
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Choose the arm of highest reward under any model that fits nearly as well as the best.

    Choose ``a = argmax_k sigmoid(m_k(x) + sqrt(2 e) * s_k(x))``: of the models whose log loss over
    the arm's history exceeds the least by at most ``e``, taken as a parabola, the one most in
    favour of the arm.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    excess_loss : float, default=0.5
        How much worse ``e`` a model may fit, in nats summed over the arm's history, at least 0.
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
    After Foster, Agarwal, Dudík, Luo and Schapire (2018), "Practical contextual bandits with
    regression oracles", the optimistic variant, with logistic in place of square loss, a
    model per arm, and Laplace's approximation in place of their search; their excess grows
    with the logarithm of rounds.

    Examples
    --------
    >>> RegCB(3, excess_loss=2.0).index
    NormalBound(width=2.0, linear=False)
    """
    return Policy(
        name="RegCB",
        n_arms=n_arms,
        oracle=laplace_oracle(C, streaming),
        cold_start=cold_start,
        index=NormalBound(width=_width(excess_loss)),
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )


@named_policy
def Bagging(
    n_arms: int,
    *,
    n_resamples: int = 10,
    weights: str = "poisson",
    kept: bool = True,
    oracle: OracleLike = "logistic",
    cold_start: ColdStartLike = MAB_FIRST,
    exclusive_rewards: bool = False,
) -> Policy:
    """Play one of several greedy policies in each round, each on a bootstrap resample.

    Draw a resample ``b``, the same for all arms, and choose ``a = argmax_k f_k,b(x)``.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    n_resamples : int, default=10
        Number of bootstrap resamples of each arm's history.
    weights : str, default="poisson"
        Distribution of the observations' weights in a resample: poisson, gamma(1,1),
        gamma(2,2), uniform or multinomial.
    kept : bool, default=True
        Whether an observation keeps its weights from one refit to the next; multinomial
        weights cannot be kept.
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
    "Online bagging" of Bietti, Agarwal and Langford (2021), "A contextual bandit bake-off",
    after Agarwal et al. (2014). `BootstrappedTS` draws a resample for each arm instead.

    Examples
    --------
    >>> Bagging(3, n_resamples=5).oracle.n_resamples
    5
    """
    return Policy(
        name="Bagging",
        n_arms=n_arms,
        oracle=as_oracle(oracle, Resampling(kind=weights, n_resamples=n_resamples, kept=kept)),
        cold_start=cold_start,
        index=SharedResample(),
        chooser=HighestValue(),
        exclusive_rewards=exclusive_rewards,
    )


def _width(excess_loss: float) -> float:
    """Return how many standard deviations from the optimum a Gaussian has that excess loss."""
    check_number("excess_loss", excess_loss)
    if excess_loss < 0:
        raise ValueError(f"excess_loss must be at least 0, got {excess_loss!r}; write 0.5")
    return float((2 * excess_loss) ** 0.5)
