"""Gaussian posteriors of linear models with many rows or many features, and scores that show one.

An oracle with a posterior gives two scores per round and arm, where one with resamples gives as
many as it has: at the posterior's mean, and one standard deviation above it. `NormalBound` and
`NormalDraw` make bounds and draws of them.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import cho_solve, solve_triangular
from scipy.special import expit

from cbkit._validation import Matrix
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
    gram : ndarray, shape (n_observations, n_observations), optional
        ``X @ X.T``, if it is known.

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
        self,
        X: Matrix,
        curvature: np.ndarray,
        *,
        C: float,
        intercept_variance: float,
        gram: np.ndarray | None = None,
    ) -> None:
        n_observations, n_features = X.shape
        self.C, self.intercept_variance = C, intercept_variance
        self.is_dual = n_observations <= n_features
        if self.is_dual:
            gram = _inner(X, X) if gram is None else gram
            self._X, self._roots = X, np.sqrt(curvature)
            matrix = self._roots[:, None] * (C * gram + intercept_variance) * self._roots
            matrix[np.diag_indices_from(matrix)] += 1.0
        else:
            matrix = np.empty((n_features + 1, n_features + 1))
            weighted = _scaled_rows(X, curvature)
            matrix[:-1, :-1] = _inner(X.T, weighted.T)
            matrix[-1, :-1] = matrix[:-1, -1] = weighted.sum(axis=0)
            matrix[-1, -1] = curvature.sum() + 1.0 / intercept_variance
            matrix[np.arange(n_features), np.arange(n_features)] += 1.0 / C
        factor = np.linalg.cholesky(matrix)
        self._factor = factor
        if not self.is_dual:
            self._covariance = cho_solve((factor, True), np.eye(n_features + 1))

    def variances(self, X: Matrix) -> np.ndarray:
        """Return the variances of the linear predictor in contexts `X`, shape (n_rounds,)."""
        if self.is_dual:
            squares = X.power(2) if sparse.issparse(X) else X * X
            prior = self.C * squares.sum(axis=1) + self.intercept_variance
            shared = self.C * _inner(self._X, X) + self.intercept_variance
            known = solve_triangular(self._factor, self._roots[:, None] * shared, lower=True)
            return np.maximum(prior - np.einsum("ij,ij->j", known, known), 0.0)
        products = X @ self._covariance[:-1] + self._covariance[-1]
        own = products[:, :-1]
        squares = (
            np.asarray((X * own).sum(axis=1))
            if sparse.issparse(X)
            else np.einsum("ij,ij->i", X, own)
        )
        return np.maximum(squares + products[:, -1], 0.0)

    def mean(self, X: Matrix, targets: np.ndarray) -> np.ndarray:
        """Return the coefficients of a regression with unit noise, shape (n_features + 1,).

        Parameters
        ----------
        X : csr_array or ndarray, shape (n_observations, n_features)
            The contexts that the posterior was made of, with curvature 1.
        targets : ndarray, shape (n_observations,)
            What was observed in them.
        """
        if self.is_dual:
            dual = cho_solve((self._factor, True), targets)
            return np.append(self.C * (X.T @ dual), self.intercept_variance * dual.sum())
        return self._covariance @ np.append(X.T @ targets, targets.sum())


def _inner(one: Matrix, other: Matrix) -> np.ndarray:
    """Return ``one @ other.T``, dense."""
    return one @ (other.toarray() if sparse.issparse(other) else other).T


def _scaled_rows(X: Matrix, factors: np.ndarray) -> Matrix:
    if sparse.issparse(X):
        return sparse.csr_array(X.multiply(factors[:, None]))
    return X * factors[:, None]
