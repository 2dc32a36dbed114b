"""Where a ridge-penalised Newton step can be sought, and what both such spaces share.

Both run the conjugate-gradient method on the same system
``(I + X' D X) s = -gradient`` with an unpenalised intercept, for all columns at once. In the space
of features a point is the coefficients ``w`` (n_features, n_columns). In the space of observations
it is the dual ``a`` (n_observations, n_columns) with ``w = X' a``, and all products go through the
Gram matrix ``X X'``: much cheaper where there are fewer observations than features.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

TINY = 1e-12
_FORCING = 0.1  # a Newton system is solved to 10% of its first residual, less near the solution

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Space(Protocol):
    """Where the minimiser moves."""

    def logits(self, x: np.ndarray) -> np.ndarray:
        """Return the linear predictor without intercept, shape (n_observations, n_columns)."""

    def newton_step(
        self, x: np.ndarray, residual: np.ndarray, curvature: np.ndarray, tol: np.ndarray
    ) -> Step:
        """Return the step, the intercept's step, the logits' move and the squared decrement.

        Parameters
        ----------
        x : ndarray, shape (n_dimensions, n_columns)
            The point.
        residual : ndarray, shape (n_observations, n_columns)
            The weighted loss's first derivative by the logits.
        curvature : ndarray, shape (n_observations, n_columns)
            Its second derivative, not negative.
        tol : ndarray, shape (n_columns,)
            Squared decrement below which a column counts as done.

        Returns
        -------
        step : ndarray, shape (n_dimensions, n_columns)
        intercept_step : ndarray, shape (n_columns,)
        move : ndarray, shape (n_observations, n_columns)
            Change of the logits along the whole step.
        decrement : ndarray, shape (n_columns,)
        """

    def is_direct(self, x: np.ndarray) -> bool:
        """Return whether a step from `x` is exact, not the outcome of some iterations."""

    def penalty(
        self, x: np.ndarray, step: np.ndarray, linear: np.ndarray, linear_move: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the coefficients of ``t`` and ``t**2`` in the penalty's change along `step`.

        Parameters
        ----------
        x, step : ndarray, shape (n_dimensions, n_columns)
            The point and the step.
        linear, linear_move : ndarray, shape (n_observations, n_columns)
            The logits without intercept, and their change along the whole step.

        Returns
        -------
        (ndarray, ndarray), each of shape (n_columns,)
            The two coefficients, for a move by ``t * step``.
        """


def dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the scalar products of the columns, shape (n_columns,)."""
    return np.einsum("ij,ij->j", left, right)


def target_of(squared_residual: Any, floor: Any) -> Any:
    """Return down to where the squared residuals have to go in this Newton step."""
    forced = squared_residual * np.minimum(_FORCING**2, squared_residual)
    return np.maximum(forced, floor)


def is_unsolved(
    squared_residual: np.ndarray, decrement: np.ndarray, target: np.ndarray, floor: np.ndarray
) -> np.ndarray:
    """Return which columns' steps need more iterations: they miss their target, or leave more.

    Where directions differ by orders of magnitude the first residual says little of what a step
    gains, so that no step ends before it has gained more than it leaves, above the floor.

    Parameters
    ----------
    squared_residual, decrement, target, floor : ndarray, shape (n_columns,)
        What the step leaves, its squared decrement so far, `target_of`, and its floor.

    Returns
    -------
    ndarray of bool, shape (n_columns,)

    Examples
    --------
    >>> is_unsolved(np.array([0.2, 0.2, 2.0]), np.array([1.0, 0.1, 9.0]), np.ones(3), np.zeros(3))
    array([False,  True,  True])
    """
    return (squared_residual > target) | (squared_residual > np.maximum(decrement, floor))


def ratio(above: np.ndarray, below: np.ndarray, running: np.ndarray) -> np.ndarray:
    """Divide where columns are running and there is something to divide by; else zero.

    Parameters
    ----------
    above, below : ndarray, shape (n_columns,)
        Numerators and denominators.
    running : ndarray of bool, shape (n_columns,)
        Columns that have not reached their target.

    Returns
    -------
    ndarray, shape (n_columns,)
    """
    return np.divide(above, below, out=np.zeros_like(above), where=running & (below > 0))


def left_by_full_step(largest: Any) -> Any:
    """Bound what an exact full step leaves of the squared decrement, by the largest logit's move.

    Along the step the curvature changes by a factor of at most ``exp(move)``. Moves above 1 leave
    more than there was, so that the exponential may stop there.
    """
    left = 0.5 * largest * np.exp(np.minimum(largest, 1.0))
    return left * left
