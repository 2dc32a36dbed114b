"""Logistic regressions of many resamples on far more observations than features."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cbkit._base.validation import Matrix
from cbkit.oracles.solver.shared_inverse import SharedInverse
from cbkit.oracles.solver.spaces import dot
from cbkit.oracles.solver.tall_problem import MARGIN, TallProblem

_LEAST_ROWS = 256
_LEAST_RATIO = 2  # observations per feature: fewer, and resamples' Hessians differ too much
_MOST_FEATURES = 512  # up to here the inverse of a Hessian costs less than what it saves


def is_tall(X: Matrix) -> bool:
    """Return whether `solve_tall` beats `newton` alone: many rows of few features, not sparse.

    Examples
    --------
    >>> is_tall(np.zeros((5000, 100))), is_tall(np.zeros((500, 300)))
    (True, False)
    """
    n, n_features = X.shape
    large = n >= _LEAST_ROWS and n >= _LEAST_RATIO * n_features
    return large and n_features <= _MOST_FEATURES and not sparse.issparse(X)


def solve_tall(
    X: np.ndarray,
    rewards: np.ndarray,
    weights: np.ndarray,
    point: np.ndarray,
    tol: np.ndarray,
    inverse: SharedInverse | None,
) -> tuple[np.ndarray, SharedInverse | None, bool]:
    """Seek all columns' optima in single precision, and check them in double precision.

    Parameters
    ----------
    X : ndarray, shape (n_observations, n_features)
        Contexts.
    rewards : ndarray, shape (n_observations,)
        0 or 1.
    weights : ndarray, shape (n_observations, n_columns)
        Weights times the factor C.
    point : ndarray, shape (n_features + 1, n_columns)
        Where to start: coefficients, and intercepts in the last row.
    tol : ndarray, shape (n_columns,)
        A column is done where the squared norm of its gradient, in the metric of `inverse`, is
        well below.
    inverse : SharedInverse or None
        One of an earlier solve; a new one is made where there is none or it no longer serves.

    Returns
    -------
    point : ndarray, shape (n_features + 1, n_columns)
        How far it came: not at all where single precision fails, as on contexts far from their
        origin or out of its range.
    inverse : SharedInverse or None
        For the next solve; None where it has become too rough.
    done : bool
        Whether these are the optima; if not, `cbkit.oracles.solver.newton` has to go on from there.

    Notes
    -----
    Newton's method with conjugate gradients. The third derivative along a direction is at most the
    largest move of a logit times the second, so that ``log(1 + move) / move`` of a step lowers the
    objective whatever the start.
    """
    problem = TallProblem(X, rewards, weights, np.float32)
    with np.errstate(all="ignore"):  # what overflows is left out below
        try:
            reached, inverse = problem.minimise(point, tol, inverse)
        except np.linalg.LinAlgError:
            return point, None, False
        if not np.isfinite(reached).all():
            return point, inverse, False
        _, gradient, _ = TallProblem(X, rewards, weights, np.float64).derivatives(reached)
        left = np.maximum(
            dot(gradient, inverse @ gradient),
            dot(gradient, gradient / problem.diagonals),
        )
        done = bool((left < MARGIN * tol).all())
        return reached, inverse if problem.rate < _rate_within_reach(X) else None, done


def _rate_within_reach(X: np.ndarray) -> float:
    """Return how fast iterations can be expected to converge with a new inverse, or nearly so.

    Hessians of resamples differ from their mean by about ``2 sqrt(n_features / n_observations)``.
    """
    return 0.06 + 6 * X.shape[1] / X.shape[0]
