"""Gaussian posteriors of linear models with many rows or many features, and scores that show one.

An oracle with a posterior gives two scores per round and arm, where one with resamples gives as
many as it has: at the posterior's mean, and one standard deviation above it. `NormalBound` and
`NormalDraw` make bounds and draws of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import expit

from cbkit._base.validation import Matrix
from cbkit.oracles.resampling import Resampling

INTERCEPT_VARIANCE = 100.0  # of a logit's prior: as good as no penalty, and still a proper prior
_MAX_LOGIT = 20.0  # beyond, too few digits are left between a probability and 1


def scores_with_spread(logits: np.ndarray, deviations: np.ndarray) -> np.ndarray:
    """Return probabilities at the mean of logits, and one standard deviation above it.

    Parameters
    ----------
    logits, deviations : ndarray, shape (n_rounds, n_arms)
        Means and standard deviations; logits are cut off at 20 on either side.

    Returns
    -------
    ndarray, shape (n_rounds, n_arms, 2)

    Examples
    --------
    >>> scores_with_spread(np.array([[0.0]]), np.array([[1.0]])).round(3)
    array([[[0.5  , 0.731]]])
    """
    both = np.stack([logits, logits + deviations], axis=2)
    return expit(np.clip(both, -_MAX_LOGIT, _MAX_LOGIT))


def refuse_resampling(oracle: str, resampling: Resampling | None) -> None:
    """Refuse resamples for an `oracle` that has a posterior."""
    if resampling is not None:
        raise ValueError(
            f"{oracle} has a posterior, which takes the place of resamples; use it in LogisticUCB, "
            "LogisticTS, LinUCB or LinTS, or in a Policy with NormalBound or NormalDraw as index"
        )


class GaussianPosterior:
    """Covariance of a linear model's coefficients, given rows and their curvature.

    The precision is ``diag(1/C, ..., 1/C, 1/intercept_variance) + [X, 1]' diag(curvature) [X, 1]``.
    Fewer rows than coefficients are kept as they are, with a matrix of their products (the dual
    form), so that memory and time grow with the square of the smaller number.

    Parameters
    ----------
    X : csr_array or ndarray, shape (n_observations, n_features)
        Contexts.
    curvature : ndarray, shape (n_observations,)
        Second derivatives of the rows' losses by the linear predictor, not negative.
    C, intercept_variance : float
        Variances of the prior, of each coefficient and of the intercept.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> posterior = GaussianPosterior(X, np.ones(2), C=1.0, intercept_variance=1.0)
    >>> A = np.column_stack([X, np.ones(2)])
    >>> covariance = np.linalg.inv(np.eye(3) + A.T @ A)
    >>> bool(np.isclose(posterior.variances(X)[0], A[0] @ covariance @ A[0]))
    True
    """

    def __init__(
        self, X: Matrix, curvature: np.ndarray, *, C: float, intercept_variance: float
    ) -> None:
        self.C, self.intercept_variance = C, intercept_variance
        self._X, self._roots = X[:0], np.empty(0)
        self._factor = np.empty((0, 0))
        self._covariance: Any = None
        self.extend(X, curvature)

    def extend(self, X: Matrix, curvature: np.ndarray) -> None:
        """Add rows, whose number times the square of what is kept bounds the work.

        Parameters
        ----------
        X : csr_array or ndarray, shape (n_new, n_features)
            Their contexts.
        curvature : ndarray, shape (n_new,)
            Their curvature; that of the other rows stays as it is.
        """
        if self._covariance is not None:
            roots = np.sqrt(curvature)[:, None]
            moved = roots * self._times_covariance(X)
            inner = moved[:, :-1] @ _columns(X) + moved[:, -1:]
            inner = np.eye(len(roots)) + inner * roots.T
            half = solve_triangular(np.linalg.cholesky(inner), moved, lower=True)
            self._covariance -= half.T @ half
            return
        known, n_rows = self._X.shape[0], self._X.shape[0] + X.shape[0]
        roots = np.append(self._roots, np.sqrt(curvature))
        rows = (
            sparse.csr_array(sparse.vstack([self._X, X]))
            if sparse.issparse(X)
            else np.vstack([self._X, X])
        )
        if n_rows > X.shape[1]:
            self._covariance = self._by_features(rows, roots**2)
            self._X, self._roots, self._factor = X[:0], np.empty(0), np.empty((0, 0))
            return
        products = roots[:, None] * (self.C * (rows @ _columns(X)) + self.intercept_variance)
        products *= roots[known:]
        own = products[known:] + np.eye(X.shape[0])
        across = _solve_lower(self._factor, products[:known])
        factor = np.zeros((n_rows, n_rows))
        factor[:known, :known], factor[known:, :known] = self._factor, across.T
        factor[known:, known:] = np.linalg.cholesky(own - across.T @ across)
        self._X, self._roots, self._factor = rows, roots, factor

    def _by_features(self, X: Matrix, curvature: np.ndarray) -> np.ndarray:
        """Return the covariance, shape (n_features + 1, n_features + 1)."""
        n_features = X.shape[1]
        precision = np.empty((n_features + 1, n_features + 1))
        weighted = (
            sparse.csr_array(X.multiply(curvature[:, None]))
            if sparse.issparse(X)
            else X * curvature[:, None]
        )
        precision[:-1, :-1] = X.T @ (weighted.toarray() if sparse.issparse(X) else weighted)
        precision[-1, :-1] = precision[:-1, -1] = weighted.sum(axis=0)
        precision[-1, -1] = curvature.sum() + 1.0 / self.intercept_variance
        precision[np.arange(n_features), np.arange(n_features)] += 1.0 / self.C
        return cho_solve(cho_factor(precision, lower=True), np.eye(n_features + 1))

    def _times_covariance(self, X: Matrix) -> np.ndarray:
        """Return ``[X, 1] @ covariance``, shape (n_rows, n_features + 1)."""
        return X @ self._covariance[:-1] + self._covariance[-1]

    def variances(self, X: Matrix) -> np.ndarray:
        """Return the variances of the linear predictor in contexts `X`, shape (n_rounds,)."""
        if self._covariance is None:
            squares = X.power(2) if sparse.issparse(X) else X * X
            prior = self.C * squares.sum(axis=1) + self.intercept_variance
            shared = self.C * (self._X @ _columns(X)) + self.intercept_variance
            known = _solve_lower(self._factor, self._roots[:, None] * shared)
            return np.maximum(prior - np.einsum("ij,ij->j", known, known), 0.0)
        products = self._times_covariance(X)
        own = X.multiply(products[:, :-1]) if sparse.issparse(X) else X * products[:, :-1]
        return np.maximum(np.asarray(own.sum(axis=1)) + products[:, -1], 0.0)

    def times(self, vector: np.ndarray) -> np.ndarray:
        """Return ``covariance @ vector``; both have shape (n_features + 1,).

        With ``[X, 1]' targets`` it is the mean of a regression with unit noise, all curvatures 1.
        """
        if self._covariance is not None:
            return self._covariance @ vector
        prior = self.C * vector
        prior[-1] = self.intercept_variance * vector[-1]
        if not len(self._roots):
            return prior
        shared = self._roots * (self._X @ prior[:-1] + prior[-1])
        dual = self._roots * cho_solve((self._factor, True), shared)
        known = np.append(self.C * (self._X.T @ dual), self.intercept_variance * dual.sum())
        return prior - known


def _columns(X: Matrix) -> np.ndarray:
    """Return ``X.T``, dense."""
    return (X.toarray() if sparse.issparse(X) else X).T


def _solve_lower(factor: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return ``inverse(factor) @ right`` for a lower triangle; older scipy refuses empty ones."""
    return solve_triangular(factor, right, lower=True) if right.size else right
