"""Baselines that ignore the contexts: any arm, one arm, the arm that pays most so far."""

from __future__ import annotations

from cbkit._base.validation import as_arms
from cbkit.policies.choosers.chooser import FixedArm, HighestValue, UniformArm
from cbkit.policies.cold_start import ColdStartLike, split_cold_start
from cbkit.policies.named.composition import MAB_FIRST, named_policy
from cbkit.policies.policy import Policy


@named_policy
def RandomArm(
    n_arms: int,
) -> Policy:
    """Choose every arm with the same probability.

    ``P(arm) = 1 / n_arms`` in every round.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.

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
    The paper's curve of random choices, section "Empirical evaluation".

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> RandomArm(3).select(np.zeros((6, 1)), rng)
    array([2, 1, 1, 0, 0, 0])
    """
    return Policy(name="RandomArm", n_arms=n_arms, oracle=None, chooser=UniformArm())


@named_policy
def BestArmInHindsight(
    n_arms: int,
    *,
    arm: int,
) -> Policy:
    """Choose always the same arm, the one with the highest mean reward over a whole data set.

    ``a = argmax_k mean(r_k)``, found before the first round.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    arm : int
        The arm, such as `MultilabelDataset.best_arm`.

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
    Section "Establishing baselines", last paragraph. It knows the rewards of all rounds and
    arms.

    Examples
    --------
    >>> BestArmInHindsight(3, arm=2).chooser
    FixedArm(arm=2)
    """
    chooser = FixedArm(arm=int(as_arms([arm], n_arms)[0]))
    return Policy(name="BestArmInHindsight", n_arms=n_arms, oracle=None, chooser=chooser)


@named_policy
def BestArmOnline(
    n_arms: int,
    *,
    cold_start: ColdStartLike = MAB_FIRST,
) -> Policy:
    """Learn the best arm without contexts, by Thompson sampling.

    ``a = argmax_k Beta(a + wins_k, b + losses_k)``, drawn afresh in each round.

    Parameters
    ----------
    n_arms : int
        Number of arms, at least 2.
    cold_start : MABFirst or mapping, default=MABFirst(a=3, b=7, m=2)
        The prior, ``MABFirst(a=..., b=...)``; its threshold ``m`` plays no part.

    Returns
    -------
    Policy
        Unplayed.

    Raises
    ------
    ValueError
        If `cold_start` is not a Beta prior.
    TypeError
        If a keyword is not among the parameters; the closest is suggested.

    Notes
    -----
    Section "Establishing baselines", last paragraph, as a bandit learns it.

    Examples
    --------
    >>> import numpy as np
    >>> policy, rng = BestArmOnline(2), np.random.default_rng(0)
    >>> policy.update(np.zeros((60, 1)), [0, 1] * 30, [0, 1] * 30, rng)     # arm 1 pays
    >>> policy.select(np.zeros((5, 1)), rng)
    array([1, 1, 1, 1, 1])
    """
    mab_first, smoothing = split_cold_start(cold_start)
    if mab_first is None or smoothing is not None:
        raise ValueError(
            f"BestArmOnline draws from a Beta prior; write cold_start=MABFirst(a=..., b=...), "
            f"got {cold_start!r}"
        )
    return Policy(
        name="BestArmOnline",
        n_arms=n_arms,
        oracle=None,
        cold_start=mab_first,
        chooser=HighestValue(),
    )
