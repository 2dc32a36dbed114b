"""What a streaming oracle knows of one arm: its latest rows, and a Gaussian for those before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from cbkit._base.validation import Matrix
from cbkit.oracles.posteriors.gaussian import INTERCEPT_VARIANCE

_MAX_STEPS = 50
_SMALL_MOVE = 1e-3  # of a logit; the step after it would move none by a thousandth of that
_SAFE_MOVE = np.log(2.0)  # up to which a full step of Newton's lowers the objective


class WindowedPosterior:
    """Weighted logistic regressions of an arm: exact in its latest rows, Gaussian in the others.

    The coefficients ``w`` of resample r, intercept last, minimise
    ``sum_j (w_j - mean_jr)^2 / (2 variance_j) + sum_i weights_ir log_loss_i`` over the rows that
    are kept. Rows that leave are replaced by the diagonal of their loss's second derivative at the
    optimum, which leaves the optimum where it is. All resamples share the variances.

    Parameters
    ----------
    n_features, n_resamples : int
        Numbers of features and of columns of weights.
    C : float
        Variance of the coefficients' prior.

    Attributes
    ----------
    n_kept : int
        Number of rows that are kept.
    """

    def __init__(self, n_features: int, n_resamples: int, C: float) -> None:
        self.n_kept = 0
        self._kinds: set[float] = set()
        self._new: list[tuple[Matrix, np.ndarray, np.ndarray]] = []
        self._mean: np.ndarray | None = None  # zero, of shape (n_features + 1, n_resamples)
        self._variance: np.ndarray | float = C  # as long as no row has left
        self._intercept_variance = INTERCEPT_VARIANCE
        self._n_features = n_features
        self._X: Any = None  # rows, once there are any
        self._rewards = np.empty(0)
        self._weights = np.empty((0, n_resamples))
        self._dual = np.empty((0, n_resamples))
        self._base = np.empty((0, n_resamples))  # logits at the mean
        self._gram = np.empty((0, 0))  # X diag(variance) X', with the intercept's share

    def add(self, X: Matrix, rewards: np.ndarray, weights: np.ndarray) -> None:
        """Add rows.

        Parameters
        ----------
        X : csr_array or ndarray, shape (n_new, n_features)
            Contexts.
        rewards : ndarray of float, shape (n_new,)
            Their rewards, 0 or 1.
        weights : ndarray, shape (n_new, n_resamples)
            What each counts in each resample.
        """
        self._new.append((X, rewards, weights))
        self._kinds.update(rewards.tolist())
        self.n_kept += len(rewards)

    @property
    def has_both(self) -> bool:
        """Whether both kinds of reward were seen."""
        return len(self._kinds) == 2

    def _take_in(self) -> None:
        """Put new rows beside the others; put off while an arm is not solved, as most are not."""
        if not self._new:
            return
        contexts, rewards, weights = zip(*self._new, strict=True)
        self._new.clear()
        known, X = len(self._rewards), _stack(contexts)
        self._X = X if self._X is None else _stack([self._X, X])
        self._rewards = np.concatenate([self._rewards, *rewards])
        self._weights = np.concatenate([self._weights, *weights])
        self._dual = np.concatenate([self._dual, np.zeros((X.shape[0], self._dual.shape[1]))])
        self._base = np.concatenate([self._base, self._logits_at_mean(X)])
        gram = np.empty((self.n_kept, self.n_kept))
        gram[:known, :known] = self._gram
        gram[:, known:] = self._products(X)
        gram[known:, :known] = gram[:known, known:].T
        self._gram = gram

    def _logits_at_mean(self, X: Matrix) -> np.ndarray:
        if self._mean is None:
            return np.zeros((X.shape[0], self._weights.shape[1]))
        return X @ self._mean[:-1] + self._mean[-1]

    def _products(self, X: Matrix) -> np.ndarray:
        dense = X.toarray() if sparse.issparse(X) else X
        return self._X @ (dense * self._variance).T + self._intercept_variance

    def solve(self) -> np.ndarray:
        """Return the coefficients of all resamples, shape (n_features + 1, n_resamples)."""
        self._take_in()
        _minimise(self._gram, self._base, self._rewards, self._weights, self._dual)
        moves = self._variance_column() * _with_intercept(self._X, self._dual)
        return moves if self._mean is None else self._mean + moves

    def _variance_column(self) -> np.ndarray:
        variance = np.empty((self._n_features + 1, 1))
        variance[:-1, 0], variance[-1] = self._variance, self._intercept_variance
        return variance

    def _precision(self, n_rows: int) -> np.ndarray:
        """Return the precision with the curvature of the first `n_rows`, (n_features + 1, 1)."""
        chance = expit(self._base[:n_rows] + self._gram[:n_rows] @ self._dual)
        curvature = (self._weights[:n_rows] * chance * (1 - chance)).mean(axis=1, keepdims=True)
        X = self._X[:n_rows]
        squares = X.power(2) if sparse.issparse(X) else X * X
        return 1 / self._variance_column() + _with_intercept(squares, curvature)

    def variance(self) -> np.ndarray:
        """Return the coefficients' variances given all rows, shape (n_features + 1, 1)."""
        return 1 / self._precision(self.n_kept)

    def absorb(self, coef: np.ndarray, n_kept: int) -> None:
        """Move all but the latest `n_kept` rows into the Gaussian.

        Parameters
        ----------
        coef : ndarray, shape (n_features + 1, n_resamples)
            What `solve` returned.
        n_kept : int
            Rows to keep.
        """
        gone = self.n_kept - n_kept
        variance = 1 / self._precision(gone)
        self._variance, self._intercept_variance = variance[:-1, 0], float(variance[-1, 0])
        self._forget(gone)
        # Where the optimum stays: each kept row pulls at it as before.
        self._mean = coef - variance * _with_intercept(self._X, self._dual)
        self._base = self._logits_at_mean(self._X)
        self._gram = self._products(self._X)

    def thin(self, n_kept: int) -> None:
        """Drop all but the latest `n_kept` rows, which count for the dropped ones from now on.

        For rows of one kind of reward: as in case-control studies, a sample of them is as good.
        """
        self._take_in()
        total = self._weights.sum(axis=0)
        self._forget(self.n_kept - n_kept)
        left = self._weights.sum(axis=0)
        self._weights *= np.divide(total, left, out=np.ones_like(total), where=left > 0)

    def _forget(self, gone: int) -> None:
        self.n_kept -= gone
        self._X, self._rewards = self._X[gone:], self._rewards[gone:]
        self._weights, self._dual = self._weights[gone:], self._dual[gone:]
        self._base, self._gram = self._base[gone:], self._gram[gone:, gone:]


def _stack(blocks: Sequence[Matrix]) -> Matrix:
    """Stack blocks of rows, sparse ones in a third of scipy's time."""
    if len(blocks) == 1:
        return blocks[0]
    if not sparse.issparse(blocks[0]):
        return np.concatenate(blocks)
    lengths = [np.diff(block.indptr) for block in blocks]
    starts = np.concatenate([[0], *lengths]).cumsum(dtype=blocks[0].indptr.dtype)
    parts = (
        np.concatenate([block.data for block in blocks]),
        np.concatenate([block.indices for block in blocks]),
        starts,
    )
    return sparse.csr_array(parts, shape=(len(starts) - 1, blocks[0].shape[1]))


def _with_intercept(X: Matrix, columns: np.ndarray) -> np.ndarray:
    """Return ``[X, 1].T @ columns``, shape (n_features + 1, n_columns)."""
    return np.concatenate([X.T @ columns, columns.sum(axis=0, keepdims=True)])


def _objective(
    dual: np.ndarray,
    pulled: np.ndarray,
    base: np.ndarray,
    rewards: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    logits = base + pulled
    loss = np.logaddexp(0.0, logits) - rewards[:, None] * logits
    return 0.5 * (dual * pulled).sum(axis=0) + (weights * loss).sum(axis=0)


def _minimise(
    gram: np.ndarray,
    base: np.ndarray,
    rewards: np.ndarray,
    weights: np.ndarray,
    dual: np.ndarray,
) -> None:
    """Minimise ``dual' gram dual / 2 + weights . log_loss(base + gram dual)`` per column, in place.

    Newton's method: at the optimum ``dual = weights (rewards - probability)``.
    """
    identity = np.eye(len(gram))
    pulled = gram @ dual
    for _ in range(_MAX_STEPS):
        chance = expit(base + pulled)
        missing = weights * (rewards[:, None] - chance) - dual
        curvature = weights * chance * (1 - chance)
        systems = identity + curvature.T[:, :, None] * gram
        step = np.linalg.solve(systems, missing.T[:, :, None])[:, :, 0].T
        move = gram @ step
        largest = np.abs(move).max(axis=0)
        size = np.ones_like(largest)
        if largest.max() > _SAFE_MOVE:
            before = _objective(dual, pulled, base, rewards, weights)
            while True:
                tried = dual + size * step, pulled + size * move
                rises = _objective(*tried, base, rewards, weights) > before
                rises &= size * largest > _SAFE_MOVE
                if not rises.any():
                    break
                size[rises] *= 0.5
        dual += size * step
        pulled += size * move
        if largest.max() < _SMALL_MOVE:
            return
