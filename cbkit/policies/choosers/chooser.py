"""Choosers: from one number per arm to an arm, each with a schedule that moves once per round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import logit, softmax

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import check_decay, check_number, check_probability, check_whole
from cbkit.policies.choosers.exploration import Context, Explore, RandomExplore, explore_chances
from cbkit.policies.choosers.propensities import ArmValues


class Choice(NamedTuple):
    """One round's choice.

    Attributes
    ----------
    arm : int
        The chosen arm.
    explored : bool
        Whether the chooser left the arms of highest index: by an exploration branch, whatever arm
        that gave, or by a softmax draw of another arm.
    propensity : float
        Probability of `arm` given the numbers per arm.
    blind : bool
        Whether the choice did not depend on the numbers per arm.
    """

    arm: int
    explored: bool
    propensity: float
    blind: bool = False


class Chooser(Protocol):
    """Chooses an arm and moves its own state by one round."""

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose an arm.

        Parameters
        ----------
        values : ndarray, shape (n_arms,)
            One number per arm, the higher the better.
        context : Context
            The round's context.
        rng : numpy.random.Generator
            Source of the draws.

        Returns
        -------
        Choice
        """


class ExactChooser(Chooser, Protocol):
    """A chooser that knows how probable its choices are."""

    def chances(self, values: ArmValues, context: Context) -> np.ndarray | None:
        """Return each arm's probability in the next round; looking moves nothing.

        Parameters
        ----------
        values : ArmValues
            What the numbers of the arms are drawn from.
        context : Context
            The round's context.

        Returns
        -------
        ndarray, shape (n_arms,), or None
            None where the probabilities have no form that can be computed exactly.
        """


def best_arms(values: np.ndarray) -> np.ndarray:
    """Return the arms of highest value, all of them if tied."""
    return (values == values[values.argmax()]).nonzero()[0]  # quicker than `max` on few arms


def pick(arms: Sequence[int] | np.ndarray, rng: np.random.Generator) -> int:
    """Pick one of `arms` uniformly at random, without drawing if there is only one."""
    return int(arms[0] if len(arms) == 1 else arms[int(rng.integers(len(arms)))])


def exploit(values: np.ndarray, rng: np.random.Generator) -> Choice:
    """Choose the arm of highest value, ties at random; parameters as for `Chooser.choose`."""
    arms = best_arms(values)
    return Choice(pick(arms, rng), False, 1.0 / len(arms))


def explore_at_random(n_arms: int, rng: np.random.Generator) -> Choice:
    """Choose any arm with the same probability."""
    return Choice(int(rng.integers(n_arms)), True, 1.0 / n_arms, True)


def _uniform(values: ArmValues) -> np.ndarray:
    return np.full(values.n_arms, 1.0 / values.n_arms)


@dataclass(kw_only=True)
class HighestValue:
    """Choose the arm of highest value, ties at random."""

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose an arm. Parameters as for `Chooser.choose`."""
        return exploit(values, rng)

    def chances(self, values: ArmValues, context: Context) -> np.ndarray:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return values.best()


@dataclass(kw_only=True)
class UniformArm:
    """Choose any arm with the same probability."""

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose an arm. Parameters as for `Chooser.choose`."""
        return explore_at_random(len(values), rng)

    def chances(self, values: ArmValues, context: Context) -> np.ndarray:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return _uniform(values)


@suggest_keywords
@dataclass(kw_only=True)
class FixedArm:
    """Choose always the same arm, such as the best in hindsight.

    Parameters
    ----------
    arm : int
        The arm.
    """

    arm: int

    def __post_init__(self) -> None:
        check_whole("arm", self.arm, least=0)

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose the arm, or raise if there is none such. Parameters as for `Chooser.choose`."""
        return Choice(self._place(len(values), context), False, 1.0, True)

    def chances(self, values: ArmValues, context: Context) -> np.ndarray:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return np.eye(values.n_arms)[self._place(values.n_arms, context)]

    def _place(self, n_values: int, context: Context) -> int:
        """Return where in a round's values the arm is, which may be those of some arms alone."""
        if context is None or context.arms is None:
            if self.arm >= n_values:
                raise ValueError(f"arm must be in [0, {n_values - 1}], got {self.arm!r}")
            return self.arm
        place = np.flatnonzero(context.arms == self.arm)
        if not len(place):
            raise ValueError("a round does not allow the arm that this policy always plays")
        return int(place[0])

    def drop_arm(self, arm: int) -> None:
        """Follow the fixed arm as `arm` is dropped; refuse to drop the fixed arm itself."""
        if arm == self.arm:
            raise ValueError("this is the arm that the policy always plays; it cannot be dropped")
        self.arm -= arm < self.arm


@suggest_keywords
@dataclass(kw_only=True)
class EpsilonMix:
    """Explore with probability ``p``, which decays as ``p := p * d`` each round; else exploit.

    Parameters
    ----------
    explore_probability : float
        Probability of exploring in the first round.
    decay : float, default=1.0
        Factor by which it changes per round.
    explore : Explore, default=RandomExplore()
        Where to look when exploring: anywhere (`EpsilonGreedy`) or by an active-learning criterion
        (`ActiveExplorer`).

    Attributes
    ----------
    probability_ : float
        The current probability.

    Examples
    --------
    >>> chooser = EpsilonMix(explore_probability=0.5, decay=0.9)
    >>> for _ in range(2):
    ...     _ = chooser.choose(np.array([0.2, 0.8]), None, np.random.default_rng(0))
    >>> round(chooser.probability_, 3)
    0.405
    """

    explore_probability: float
    decay: float = 1.0
    explore: Explore = field(default_factory=RandomExplore)

    def __post_init__(self) -> None:
        check_probability("explore_probability", self.explore_probability)
        check_decay(self.decay)
        self.probability_ = self.explore_probability

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose an arm and decay the probability. Parameters as for `Chooser.choose`."""
        probability = self.probability_
        self.probability_ *= self.decay
        best = best_arms(values)
        candidates = self.explore.candidates(values, context)
        exploring = bool(rng.random() < probability)
        arm = pick(candidates if exploring else best, rng)
        propensity = probability * (arm in candidates) / len(candidates)
        is_best = bool(values[arm] == values[best[0]])
        propensity += (1 - probability) * is_best / len(best)
        return Choice(arm, exploring, propensity)

    def chances(self, values: ArmValues, context: Context) -> np.ndarray | None:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        explored = explore_chances(self.explore, values, context)
        if explored is None:
            return None
        return self.probability_ * explored + (1 - self.probability_) * values.best()


@suggest_keywords
@dataclass(kw_only=True)
class RandomThenBest:
    """Choose at random in the rounds ``t < turning_point`` (t = 1, 2, ...), then exploit for good.

    Parameters
    ----------
    turning_point : int
        First round that exploits.
    """

    turning_point: int

    def __post_init__(self) -> None:
        check_whole("turning_point", self.turning_point)
        self.round_ = 0

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose an arm and count the round. Parameters as for `Chooser.choose`."""
        exploring = self._explores
        self.round_ += 1
        return explore_at_random(len(values), rng) if exploring else exploit(values, rng)

    def chances(self, values: ArmValues, context: Context) -> np.ndarray:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return _uniform(values) if self._explores else values.best()

    @property
    def _explores(self) -> bool:
        return self.round_ + 1 < self.turning_point


@suggest_keywords
@dataclass(kw_only=True)
class AlternatingPeriods:
    """Alternate periods of random choices and periods of best choices, starting with the former.

    Parameters
    ----------
    explore_rounds, exploit_rounds : int
        Lengths of the periods.
    """

    explore_rounds: int
    exploit_rounds: int

    def __post_init__(self) -> None:
        check_whole("explore_rounds", self.explore_rounds)
        check_whole("exploit_rounds", self.exploit_rounds)
        self.round_ = 0

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose an arm and count the round. Parameters as for `Chooser.choose`."""
        exploring = self._explores
        self.round_ += 1
        return explore_at_random(len(values), rng) if exploring else exploit(values, rng)

    def chances(self, values: ArmValues, context: Context) -> np.ndarray:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return _uniform(values) if self._explores else values.best()

    @property
    def _explores(self) -> bool:
        return self.round_ % (self.explore_rounds + self.exploit_rounds) < self.explore_rounds


@suggest_keywords
@dataclass(kw_only=True)
class SoftmaxDraw:
    """Draw an arm from ``softmax(m * logit(values))``; ``m := m * i`` each round.

    Parameters
    ----------
    multiplier : float, default=2.0
        The multiplier ``m`` in the first round.
    inflation : float, default=1.001
        Its rate ``i`` of growth per round, at least 1.

    Notes
    -----
    Algorithm "SoftmaxExplorer". Values are clipped to [1e-9, 1 - 1e-9] before the inverse
    sigmoid; the multiplier stops growing at 1e12, where the draw is an argmax.

    Examples
    --------
    >>> SoftmaxDraw(multiplier=1.0).probabilities(np.array([0.5, 0.8]))   # odds 1 and 4
    array([0.2, 0.8])
    """

    multiplier: float = 2.0
    inflation: float = 1.001

    def __post_init__(self) -> None:
        check_number("multiplier", self.multiplier)
        check_number("inflation", self.inflation)
        if self.multiplier <= 0:
            raise ValueError(f"multiplier must be greater than 0, got {self.multiplier!r}")
        if self.inflation < 1:
            raise ValueError(f"inflation must be at least 1, got {self.inflation!r}")
        self.multiplier_ = self.multiplier

    def probabilities(self, values: np.ndarray) -> np.ndarray:
        """Return each arm's probability at the current multiplier, shape (n_arms,)."""
        return softmax(self.multiplier_ * logit(np.clip(values, 1e-9, 1 - 1e-9)))

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Draw an arm and inflate the multiplier. Parameters as for `Chooser.choose`."""
        probabilities = self.probabilities(values)
        self.multiplier_ = min(self.multiplier_ * self.inflation, 1e12)
        cumulative = np.cumsum(probabilities)
        drawn = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
        arm = int(min(drawn, len(values) - 1))
        return Choice(arm, bool(values[arm] < values.max()), float(probabilities[arm]))

    def chances(self, values: ArmValues, context: Context) -> np.ndarray | None:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return None if values.points is None else self.probabilities(values.points)
