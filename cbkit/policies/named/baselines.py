"""The paper's baselines by name, each a short composition.

Those with an oracle take three more keywords, `Common`: ``oracle`` ("logistic", any scikit-learn
classifier, or an oracle), ``cold_start`` (MABFirst, Smoothing, both, or None) and
``exclusive_rewards``. Defaults are the paper's where it states them; `registry` adds those that
depend on the data set. Errors are those of `compose`.
"""

from __future__ import annotations

from typing import Any, Unpack

from cbkit._validation import as_arms
from cbkit.policies import choosers
from cbkit.policies.cold_start import split_cold_start
from cbkit.policies.named.composition import MAB_FIRST, Common, compose
from cbkit.policies.policy import Policy


def RandomArm(n_arms: int) -> Policy:
    """Choose every arm with the same probability."""
    return Policy(name="RandomArm", n_arms=n_arms, oracle=None, chooser=choosers.UniformArm())


def BestArmInHindsight(n_arms: int, *, arm: int) -> Policy:
    """Choose always `arm`, the one with the highest mean reward over the whole data set."""
    chooser = choosers.FixedArm(arm=int(as_arms([arm], n_arms)[0]))
    return Policy(name="BestArmInHindsight", n_arms=n_arms, oracle=None, chooser=chooser)


def BestArmOnline(n_arms: int, *, cold_start: Any = MAB_FIRST) -> Policy:
    """Learn the best arm without contexts: the highest draw of ``Beta(a + wins, b + losses)``.

    `cold_start` gives the prior, ``MABFirst(a=..., b=...)``; its threshold plays no part.
    """
    mab_first, smoothing = split_cold_start(cold_start)
    if mab_first is None or smoothing is not None:
        raise ValueError(
            f"BestArmOnline draws from a Beta prior; write cold_start=MABFirst(a=..., b=...), "
            f"got {cold_start!r}"
        )
    return Policy(name="BestArmOnline", n_arms=n_arms, oracle=None, cold_start=mab_first)


def Greedy(n_arms: int, **common: Unpack[Common]) -> Policy:
    """Choose the arm with the highest expected reward; all exploration is the cold start's."""
    return compose("Greedy", n_arms, choosers.HighestValue(), **common)


def EpsilonGreedy(
    n_arms: int,
    *,
    explore_probability: float = 0.2,
    decay: float = 0.9999,
    **common: Unpack[Common],
) -> Policy:
    """Choose a random arm with a decaying probability, else the best ("Epsilon-Greedy").

    Parameters
    ----------
    n_arms, **common
        As for `compose`.
    explore_probability : float, default=0.2
        Probability of a random arm in the first round.
    decay : float, default=0.9999
        Its factor per round.

    Returns
    -------
    Policy
        Unplayed.
    """
    chooser = choosers.EpsilonMix(explore_probability=explore_probability, decay=decay)
    return compose("EpsilonGreedy", n_arms, chooser, **common)


def ExploreThenExploit(n_arms: int, *, turning_point: int, **common: Unpack[Common]) -> Policy:
    """Choose at random up to a turning point, then the best; without cold start by default.

    Parameters
    ----------
    n_arms, **common
        As for `compose`, with ``cold_start=None`` by default as in the paper.
    turning_point : int
        First round that exploits, counted from 1. The paper's depends on the data set, see
        `paper_hyperparameters`.

    Returns
    -------
    Policy
        Unplayed.
    """
    chooser = choosers.RandomThenBest(turning_point=turning_point)
    return compose("ExploreThenExploit", n_arms, chooser, **({"cold_start": None} | common))


def AlternatingEpochs(
    n_arms: int,
    *,
    explore_rounds: int = 50,
    exploit_rounds: int = 200,
    **common: Unpack[Common],
) -> Policy:
    """Alternate periods of random and of best choices (section "Establishing baselines").

    Parameters
    ----------
    n_arms, **common
        As for `compose`.
    explore_rounds, exploit_rounds : int, default=50 and 200
        Lengths of the periods, in rounds; the paper does not state any.

    Returns
    -------
    Policy
        Unplayed.
    """
    chooser = choosers.AlternatingPeriods(
        explore_rounds=explore_rounds, exploit_rounds=exploit_rounds
    )
    return compose("AlternatingEpochs", n_arms, chooser, **common)


def SoftmaxExplorer(
    n_arms: int,
    *,
    multiplier: float = 2.0,
    inflation: float = 1.001,
    **common: Unpack[Common],
) -> Policy:
    """Draw an arm by a softmax of the scores' inverse sigmoids ("SoftmaxExplorer").

    Parameters
    ----------
    n_arms, **common
        As for `compose`.
    multiplier : float, default=2.0
        Multiplier of the inverse sigmoids in the first round; the larger, the greedier.
    inflation : float, default=1.001
        Its factor per round, at least 1.

    Returns
    -------
    Policy
        Unplayed.
    """
    chooser = choosers.SoftmaxDraw(multiplier=multiplier, inflation=inflation)
    return compose("SoftmaxExplorer", n_arms, chooser, **common)
