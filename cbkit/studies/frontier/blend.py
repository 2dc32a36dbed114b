"""Greedy that mixes each arm's model with its base rate, as their predictions turned out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from cbkit._base.validation import Matrix
from cbkit.policies.block import Block
from cbkit.studies.frontier.hit_rate import HitRateGreedy

_WEIGHTS = np.linspace(0, 1, 11)  # of the base rate
_BOUNDS = (10, 50, 200)  # observations of an arm that set its group
_NEAREST = 1e-6  # to 0 and 1


@dataclass(kw_only=True, repr=False)
class BlendedGreedy(HitRateGreedy):
    """Mix the log odds of model and base rate by weights that progressive validation finds.

    Arms are grouped by their number of observations. Each group keeps the log loss of eleven
    mixtures, from the model alone to the base rate alone, on predictions made before the reward
    was seen, and weighs them by ``exp(-loss)``.

    Parameters
    ----------
    factor : float, default=25
        As for `HitRateGreedy`, and all others.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.losses_ = np.zeros((len(_BOUNDS) + 1, len(_WEIGHTS)))
        self._last: Block | None = None

    def _base(self, arms: np.ndarray) -> np.ndarray:
        """Return the log odds of the arms' base rates, pulled towards one in ten."""
        positives, negatives = self.history_.positives[arms], self.history_.negatives[arms]
        return logit((positives + 0.1) / (positives + negatives + 1))

    def _group(self, arms: np.ndarray) -> np.ndarray:
        return np.digitize(self.history_.positives[arms] + self.history_.negatives[arms], _BOUNDS)

    def base_weights(self) -> np.ndarray:
        """Return the weight of the base rate in each group, shape (4,)."""
        chances = np.exp(self.losses_.min(axis=1, keepdims=True) - self.losses_)
        return chances @ _WEIGHTS / chances.sum(axis=1)

    def prepare(self, X: Matrix) -> Block:
        """Score a block by the mixtures."""
        block = self._last = super().prepare(X)
        assert block.indices is not None  # the mean is not random
        weights = self.base_weights()[self._group(block.warm)]
        block.indices = expit(
            (1 - weights) * _odds(block.indices) + weights * self._base(block.warm)
        )
        return block

    def record(self, X: Matrix, row: int, arm: int, reward: int) -> None:
        """Add the losses of what the mixtures predicted, then the observation."""
        last = self._last
        if last and last.X is X and len(at := np.flatnonzero(last.warm == arm)):
            model = _odds(last.scores[row, at, 0])
            mixed = (1 - _WEIGHTS) * model + _WEIGHTS * self._base(np.array([arm]))
            self.losses_[self._group(np.array([arm]))] += np.logaddexp(0, mixed * (1 - 2 * reward))
        super().record(X, row, arm, reward)


def _odds(scores: np.ndarray) -> np.ndarray:
    return logit(np.clip(scores, _NEAREST, 1 - _NEAREST))
