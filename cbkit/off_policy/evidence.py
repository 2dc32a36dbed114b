"""What an estimator needs of a log and a target policy: a few numbers per round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cbkit._base.validation import Matrix
from cbkit.off_policy.logged_rounds import LoggedRounds

Target = np.ndarray | Callable[[Matrix], np.ndarray]
Predict = Callable[[np.ndarray], np.ndarray]
_CELLS = 4_000_000  # rounds times arms that are held at once


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A log seen from a target policy; all that is left of contexts and arms.

    Attributes
    ----------
    rewards : ndarray, shape (n_rounds,)
        Rewards of the logged arms, ``r``.
    weights : ndarray, shape (n_rounds,)
        ``w``, the target's probability of the logged arm divided by its propensity.
    predicted : ndarray, shape (n_rounds,), or None
        A reward model's expected reward of the logged arm, ``q(x, a)``.
    expected : ndarray, shape (n_rounds,), or None
        Its expectation over the target's arms, ``sum_a target(a | x) q(x, a)``.
    pages : ndarray of int, shape (n_rounds,), or None
        What rounds belong together, see `LoggedRounds`.
    """

    rewards: np.ndarray
    weights: np.ndarray
    predicted: np.ndarray | None = None
    expected: np.ndarray | None = None
    pages: np.ndarray | None = None

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.rewards)

    def modelled(self) -> tuple[np.ndarray, np.ndarray]:
        """Return `predicted` and `expected`, or raise if there is no reward model."""
        if self.predicted is None or self.expected is None:
            raise ValueError(
                "this estimator needs a reward model; write gather(log, target, model=...) with "
                "one of cbkit.off_policy.reward_models"
            )
        return self.predicted, self.expected


def gather(log: LoggedRounds, target: Target, predict: Predict | None = None) -> Evidence:
    """Reduce a log to what estimators of a target policy's value need, block by block.

    Parameters
    ----------
    log : LoggedRounds
        The log.
    target : ndarray of shape (n_rounds, n_arms), or callable
        The target policy's probability of every arm in each round, or a function that gives them
        for a block of contexts. It must not have been chosen by looking at the same rounds'
        rewards.
    predict : callable, optional
        From numbers of rounds to expected rewards of all arms, shape (n, n_arms), as
        `cross_fitted` returns it.

    Returns
    -------
    Evidence
        Arrays of shape (n_rounds,); no array of n_rounds x n_arms is made.

    Examples
    --------
    >>> log = LoggedRounds(
    ...     X=[[0.0], [1.0]], arms=[0, 1], rewards=[1, 0], propensities=[0.5, 0.25], n_arms=2
    ... )
    >>> gather(log, np.array([[1.0, 0.0], [0.5, 0.5]])).weights
    array([2., 2.])
    """
    if not callable(target):
        target = np.asarray(target)
        if target.shape != (log.n_rounds, log.n_arms):
            raise ValueError(
                "target must have one probability per round and arm, shape "
                f"{(log.n_rounds, log.n_arms)}, got {target.shape}"
            )
    weights = np.empty(log.n_rounds)
    predicted = None if predict is None else np.empty(log.n_rounds)
    expected = None if predict is None else np.empty(log.n_rounds)
    size = max(1, _CELLS // log.n_arms)
    for start in range(0, log.n_rounds, size):
        rows = np.arange(start, min(start + size, log.n_rounds))
        block = target(log.X[rows]) if callable(target) else target[rows]
        block = _checked(np.asarray(block, dtype=np.float64), len(rows), log.n_arms, start)
        arms = log.arms[rows]
        chosen = np.arange(len(rows)), arms
        weights[rows] = block[chosen] / log.propensities[rows]
        if predict is not None and predicted is not None and expected is not None:
            q = predict(rows)
            predicted[rows] = q[chosen]
            expected[rows] = np.einsum("na,na->n", block, q)
    return Evidence(
        rewards=log.rewards.astype(np.float64),
        weights=weights,
        predicted=predicted,
        expected=expected,
        pages=log.pages,
    )


def _checked(block: np.ndarray, n_rows: int, n_arms: int, start: int) -> np.ndarray:
    """Return a block of probabilities, or name the row in which they are none."""
    if block.shape != (n_rows, n_arms):
        raise ValueError(
            f"target must give shape {(n_rows, n_arms)} for {n_rows} contexts, got {block.shape}"
        )
    sums = block.sum(axis=1)
    wrong = ~(np.abs(sums - 1.0) <= 1e-6) | (block < 0).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            "target probabilities must be at least 0 and sum to 1 over the arms, got a sum of "
            f"{sums[row]:.6g} and a least one of {block[row].min():.6g} in row {start + row}"
        )
    return block
