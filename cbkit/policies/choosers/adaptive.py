"""Adaptive greedy choosers: exploit while the best arm looks good enough, else explore."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from cbkit._base.keywords import suggest_keywords
from cbkit._base.validation import check_decay, check_percentile, check_probability, check_whole
from cbkit.policies.choosers.chooser import Choice, best_arms, pick
from cbkit.policies.choosers.exploration import Context, Explore, RandomExplore, explore_chances
from cbkit.policies.choosers.propensities import ArmValues


def exploit_above(
    threshold: float,
    values: np.ndarray,
    context: Context,
    explore: Explore,
    rng: np.random.Generator,
) -> Choice:
    """Choose the best arm if its value is above `threshold`, else one of `explore`'s candidates.

    Parameters
    ----------
    threshold : float
        What the highest value has to exceed.
    values, context, rng
        As for `Chooser.choose`.
    explore : Explore
        Names the arms to explore.

    Returns
    -------
    Choice
        Its propensity is 1 over the number of arms that it was picked from.
    """
    exploring = bool(values.max() <= threshold)
    arms = explore.candidates(values, context) if exploring else best_arms(values)
    return Choice(pick(arms, rng), exploring, 1.0 / len(arms))


def chances_above(
    threshold: float, values: ArmValues, context: Context, explore: Explore
) -> np.ndarray | None:
    """Return the probabilities of what `exploit_above` chooses; parameters as there.

    Returns
    -------
    ndarray, shape (n_arms,), or None
        None where draws decide on what is explored.
    """
    exploited = values.best(above=threshold)
    exploring = max(0.0, 1.0 - exploited.sum())
    explored = explore_chances(explore, values, context)
    if explored is None:
        return None if exploring > 1e-12 else exploited
    return exploited + exploring * explored


@suggest_keywords
@dataclass(kw_only=True)
class ThresholdGreedy:
    """Exploit if the highest value is above ``z``, else explore; ``z := z * d`` each round.

    Parameters
    ----------
    threshold : float
        ``z`` in the first round.
    decay : float, default=1.0
        Its factor ``d`` per round.
    explore : Explore, default=RandomExplore()
        Where to look when exploring.

    Notes
    -----
    Algorithm "ContextualAdaptiveGreedy".

    Examples
    --------
    >>> chooser = ThresholdGreedy(threshold=0.5, decay=0.9)
    >>> chooser.choose(np.array([0.1, 0.6]), None, np.random.default_rng(0))
    Choice(arm=1, explored=False, propensity=1.0, blind=False)
    >>> chooser.threshold_
    0.45
    """

    threshold: float
    decay: float = 1.0
    explore: Explore = field(default_factory=RandomExplore)

    def __post_init__(self) -> None:
        check_probability("threshold", self.threshold)
        check_decay(self.decay)
        self.threshold_ = self.threshold

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose an arm and decay the threshold. Parameters as for `Chooser.choose`."""
        choice = exploit_above(self.threshold_, values, context, self.explore, rng)
        self.threshold_ *= self.decay
        return choice

    def chances(self, values: ArmValues, context: Context) -> np.ndarray | None:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return chances_above(self.threshold_, values, context, self.explore)


@suggest_keywords
@dataclass(kw_only=True)
class PercentileGreedy:
    """Adaptive greedy whose threshold is a percentile of the best arms' values lately.

    Once ``window`` rounds were played, the threshold becomes the ``percentile`` of the highest
    values of the last ``window`` rounds: after each round with a moving window, else after every
    ``window`` rounds. From then on the percentile decays, ``p := p * d``, each round.

    Parameters
    ----------
    window : int
        Length of the window, in rounds.
    threshold : float
        Threshold ``z0`` until the window is full.
    percentile : float, default=30
        In percent (0-100).
    decay : float, default=1.0
        Factor ``d`` of the percentile per round once the window is full.
    moving : bool, default=True
        Whether the window moves with each round.
    explore : Explore, default=RandomExplore()
        Where to look when exploring: anywhere (ContextualAdaptiveGreedy2) or by an active-learning
        criterion (ActiveAdaptiveGreedy).

    Examples
    --------
    >>> chooser = PercentileGreedy(window=2, threshold=0.5, percentile=50)
    >>> rng = np.random.default_rng(0)
    >>> [chooser.choose(np.array([0.0, v]), None, rng).explored for v in (0.6, 0.2, 0.41, 0.3)]
    [False, True, False, True]
    >>> round(chooser.threshold_, 3)             # median of 0.41 and 0.3
    0.355
    """

    window: int
    threshold: float
    percentile: float = 30
    decay: float = 1.0
    moving: bool = True
    explore: Explore = field(default_factory=RandomExplore)

    def __post_init__(self) -> None:
        check_whole("window", self.window)
        check_probability("threshold", self.threshold)
        check_percentile(self.percentile)
        check_decay(self.decay)
        self.threshold_ = self.threshold
        self.percentile_ = float(self.percentile)
        self.round_ = 0
        self._recent: deque[float] = deque()
        self._sorted: list[float] = []

    def choose(self, values: np.ndarray, context: Context, rng: np.random.Generator) -> Choice:
        """Choose an arm, then move the window, the threshold and the percentile.

        Parameters as for `Chooser.choose`.
        """
        choice = exploit_above(self.threshold_, values, context, self.explore, rng)
        self.round_ += 1
        self._remember(float(values.max()))
        if self.round_ >= self.window:
            if self.moving or self.round_ % self.window == 0:
                self.threshold_ = self._window_percentile()
            self.percentile_ *= self.decay
        return choice

    def chances(self, values: ArmValues, context: Context) -> np.ndarray | None:
        """Return each arm's probability. Parameters as for `Chooser.chances`."""
        return chances_above(self.threshold_, values, context, self.explore)

    def _remember(self, value: float) -> None:
        if len(self._recent) == self.window:
            del self._sorted[bisect_left(self._sorted, self._recent.popleft())]
        self._recent.append(value)
        insort(self._sorted, value)

    def _window_percentile(self) -> float:
        # numpy.percentile's linear interpolation, on values that are kept sorted.
        position = self.percentile_ / 100 * (len(self._sorted) - 1)
        below = int(position)
        above = min(below + 1, len(self._sorted) - 1)
        low, high = self._sorted[below], self._sorted[above]
        return low + (high - low) * (position - below)  # exactly `low` where all are equal
