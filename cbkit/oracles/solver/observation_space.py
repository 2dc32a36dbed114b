"""Newton steps in the space of observations."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from cbkit.oracles.solver.spaces import TINY, Step, dot, is_unsolved, ratio, target_of

_MAX_DIRECT = 150  # observations, and these times columns, up to which iterations are slower
_MAX_DIRECT_SIZE = 400
# Rounding spoils systems whose eigenvalues reach from 1 to about 1e13, and from 1e8 on, where there
# are more observations than features, the decrement that says when steps may end.
_MAX_SCALE = 1e8


def is_in_reach(squared_norm: float, weights: np.ndarray) -> bool:
    """Return whether weights times the contexts' largest squared norm are small enough here.

    Examples
    --------
    >>> weights = np.ones((2, 1))
    >>> is_in_reach(1.0, weights), is_in_reach(1e14, weights)
    (True, False)
    """
    return bool(weights.max() * squared_norm < _MAX_SCALE)


class ObservationSpace:
    """Newton steps in the dual variables; one product with the Gram matrix per iteration.

    Parameters
    ----------
    gram : ndarray, shape (n_observations, n_observations)
        ``X @ X.T``; with its weights `is_in_reach`.
    """

    def __init__(self, gram: np.ndarray) -> None:
        self.gram = gram
        self.trace = np.trace(gram)

    def logits(self, x: np.ndarray) -> np.ndarray:
        """Return ``X @ X.T @ x``."""
        return self.gram @ x

    def is_direct(self, x: np.ndarray) -> bool:
        """Few observations of few columns are solved faster without iterations."""
        return len(x) <= _MAX_DIRECT and x.size <= _MAX_DIRECT_SIZE

    def penalty(
        self, x: np.ndarray, step: np.ndarray, linear: np.ndarray, linear_move: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the penalty's change, from ``(a + t s)' X X' (a + t s) / 2``.

        Parameters as for `Space.penalty`.
        """
        return dot(step, linear), 0.5 * dot(step, linear_move)

    def newton_step(
        self, x: np.ndarray, residual: np.ndarray, curvature: np.ndarray, tol: np.ndarray
    ) -> Step:
        """Solve for the Newton step of all columns. Parameters as for `Space.newton_step`."""
        if self.is_direct(x):
            return self._direct_step(x, residual, curvature)
        # What is left of the intercept's curvature once the dual can take its place, at least.
        diagonal_b = (curvature / (1.0 + curvature * self.trace)).sum(axis=0) + TINY
        r, r_b = -(x + residual), -residual.sum(axis=0)
        gram_r = self.gram @ r
        step, step_b = np.zeros_like(r), np.zeros_like(r_b)
        move, decrement = np.zeros_like(curvature), np.zeros_like(r_b)
        p, gram_p, p_b = r.copy(), gram_r, r_b / diagonal_b
        rz = dot(r, gram_r) + r_b * p_b
        floor = 1e-2 * tol
        target = target_of(rz, floor)
        for _ in range(2 * len(r) + 10):
            running = is_unsolved(rz, decrement, target, floor)
            if not running.any():
                break
            p_move = gram_p + p_b
            h = curvature * p_move
            h_b = h.sum(axis=0)
            h += p
            alpha = ratio(rz, dot(h, gram_p) + p_b * h_b, running)
            step += alpha * p
            step_b += alpha * p_b
            move += alpha * p_move
            decrement += alpha * rz
            r -= alpha * h
            r_b -= alpha * h_b
            gram_r = self.gram @ r
            z_b = r_b / diagonal_b
            after = np.where(running, dot(r, gram_r) + r_b * z_b, rz)
            beta = ratio(after, rz, running)
            p, gram_p, p_b, rz = r + beta * p, gram_r + beta * gram_p, z_b + beta * p_b, after
        else:
            slow = np.flatnonzero(is_unsolved(rz, decrement, target, floor))
            solved = self._direct_step(x[:, slow], residual[:, slow], curvature[:, slow])
            step[:, slow], step_b[slow], move[:, slow], decrement[slow] = solved
        return step, step_b, move, decrement

    def _direct_step(self, x: np.ndarray, residual: np.ndarray, curvature: np.ndarray) -> Step:
        """Solve for the step of all columns without iterations.

        ``(I + D K)^-1 v`` is ``v - S B^-1 S K v`` with ``S = D^(1/2)`` and ``B = I + S K S``, whose
        eigenvalues are at least 1, so that the factorisation is safe where `is_in_reach`;
        the intercept's equation makes the dual add up to zero.
        """
        root = np.sqrt(curvature.T)
        descent = -(x + residual)
        sides = np.stack([(self.gram @ descent).T * root, root], axis=1)
        for own, side in zip(root, sides, strict=True):
            system = own[:, None] * self.gram * own
            system.flat[:: len(x) + 1] += 1.0
            side[:] = dposv(system.T, side.T, overwrite_a=True, overwrite_b=True)[1].T
        sides *= root[:, None, :]
        step, by_intercept = descent - sides[:, 0].T, sides[:, 1].T
        step_b = (step.sum(axis=0) + x.sum(axis=0)) / (by_intercept.sum(axis=0) + TINY)
        step -= step_b * by_intercept
        move = self.gram @ step
        return step, step_b, move + step_b, dot(descent, move) - residual.sum(axis=0) * step_b
