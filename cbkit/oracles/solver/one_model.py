"""Newton's method for one logistic regression on few observations, without columns.

Most refits of policies with one model per arm are so small that numpy's calls cost more than their
arithmetic. With vectors in place of one-column matrices a refit takes half the time and less;
``a.dot(b)`` of two such vectors takes half the time of ``a @ b``.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit

from cbkit.oracles.solver.line_search import (
    EXACT_MARGIN,
    MAX_NEWTON_STEPS,
    SAFE_MOVE,
    best_step_size,
)
from cbkit.oracles.solver.spaces import TINY, left_by_full_step, target_of

_MAX_DIRECT = 90  # observations up to which factorising is faster than iterating

_Step = tuple[np.ndarray, float, np.ndarray, float, float]


def solve_one(
    gram: np.ndarray,
    rewards: np.ndarray,
    weights: np.ndarray,
    dual: np.ndarray,
    intercept: float,
    tol: float,
) -> tuple[np.ndarray, float]:
    """Fit one regression in the space of observations, as `ObservationSpace` does for several.

    Parameters
    ----------
    gram : ndarray, shape (n_observations, n_observations)
        ``X @ X.T``, with its weights in reach of this space.
    rewards : ndarray, shape (n_observations,)
        0 or 1, of both kinds.
    weights : ndarray, shape (n_observations,)
        Weights times the factor C.
    dual : ndarray, shape (n_observations,)
        Where to start.
    intercept : float
        Its intercept.
    tol : float
        Squared Newton decrement to stop at: of a full step, or a 20th of it as a bound on what is
        left after the step.

    Returns
    -------
    dual : ndarray, shape (n_observations,)
        The coefficients are ``X.T @ dual``.
    intercept : float

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> dual, intercept = solve_one(
    ...     X @ X.T, np.array([0, 0, 1, 1.0]), np.ones(4), np.zeros(4), 0.0, tol=1e-6
    ... )
    >>> (X.T @ dual).round(3), round(float(intercept), 3)
    (array([0.958]), -1.437)
    """
    direct = len(rewards) <= _MAX_DIRECT
    trace = 0.0 if direct else gram.trace()  # of use to iterations alone
    linear = gram @ dual
    logits = linear + intercept
    positive, negative = weights.dot(rewards), weights.dot(1.0 - rewards)
    total = positive + negative
    loss = weights.dot(np.logaddexp(0.0, logits) - rewards * logits) + 0.5 * dual.dot(linear)
    worst = positive * math.log(total / positive) + negative * math.log(total / negative)
    if not loss <= worst:  # or is not a number; as `newton` starts several
        cold = math.log(positive / negative)
        dual, intercept, logits = np.zeros_like(dual), cold, np.full_like(logits, cold)
    for _ in range(MAX_NEWTON_STEPS):
        probability = expit(logits)
        residual = weights * (probability - rewards)
        curvature = weights * probability * (1.0 - probability)
        if direct:
            step, step_b, move, decrement, unsolved = _direct_step(gram, dual, residual, curvature)
        else:
            parts = gram, trace, dual, residual, curvature, tol
            step, step_b, move, decrement, unsolved = _iterated_step(*parts)
        largest = float(np.abs(move).max())
        size = 1.0
        if largest > SAFE_MOVE:
            penalty = step.dot(logits - intercept), 0.5 * step.dot(move - step_b)
            size = best_step_size(logits, move, rewards, weights, decrement, penalty)
            step, move = size * step, size * move
        dual = dual + step
        intercept += size * step_b
        logits = logits + move
        by_curvature = left_by_full_step(largest) * max(decrement, 0.0)
        left = (math.sqrt(by_curvature) + math.sqrt(unsolved)) ** 2
        if min(decrement, EXACT_MARGIN * left) < tol and size == 1.0:
            break
    return dual, intercept


def _direct_step(
    gram: np.ndarray, dual: np.ndarray, residual: np.ndarray, curvature: np.ndarray
) -> _Step:
    """Solve for the step without iterations; see `ObservationSpace`."""
    n = len(dual)
    root = np.sqrt(curvature)
    descent = -(dual + residual)
    system = gram * root
    system *= root[:, None]
    system.ravel()[:: n + 1] += 1.0
    sides = np.empty((2, n))
    sides[0] = (gram @ descent) * root
    sides[1] = root
    solved = dposv(system.T, sides.T, overwrite_a=True, overwrite_b=True)[1].T
    residual_b = residual.sum()
    # The intercept's equation: after the step the dual adds up to zero.
    step_b = -(residual_b + root.dot(solved[0])) / (root.dot(solved[1]) + TINY)
    step = descent - root * (solved[0] + step_b * solved[1])
    move = gram @ step
    decrement = descent.dot(move) - residual_b * step_b
    return step, step_b, move + step_b, decrement, 0.0


def _iterated_step(
    gram: np.ndarray,
    trace: float,
    dual: np.ndarray,
    residual: np.ndarray,
    curvature: np.ndarray,
    tol: float,
) -> _Step:
    """Seek the step by conjugate gradients; see `ObservationSpace`.

    `both_r`, `both_step` and `both_p` hold a vector and, below it, its product with the Gram
    matrix, so that one call moves both. `trace` is ``gram.trace()``, for the preconditioner.
    """
    n = len(dual)
    diagonal_b = (curvature / (1.0 + curvature * trace)).sum() + TINY
    both_r, both_step = np.empty((2, n)), np.zeros((2, n))
    r, gram_r = both_r
    r[:] = -(dual + residual)
    gram_r[:] = gram @ r
    r_b, step_b, decrement = -residual.sum(), 0.0, 0.0
    both_p = both_r.copy()
    p, gram_p = both_p
    p_b = r_b / diagonal_b
    rz = r.dot(gram_r) + r_b * p_b
    floor = 1e-2 * tol
    target = target_of(rz, floor)
    for _ in range(2 * n + 10):
        if rz <= target and rz <= max(decrement, floor):  # `is_unsolved`, without numpy's calls
            step, move = both_step
            return step, step_b, move + step_b, decrement, max(rz, 0.0)
        p_move = gram_p + p_b
        h_b = curvature.dot(p_move)
        h = curvature * p_move
        h += p
        curved = h.dot(gram_p) + p_b * h_b
        if not curved > 0:
            break
        alpha = rz / curved
        both_step += alpha * both_p
        step_b += alpha * p_b
        decrement += alpha * rz
        h *= alpha
        r -= h
        r_b -= alpha * h_b
        np.matmul(gram, r, out=gram_r)
        after = r.dot(gram_r) + r_b * r_b / diagonal_b
        beta = after / rz
        both_p *= beta
        both_p += both_r
        p_b = r_b / diagonal_b + beta * p_b
        rz = after
    return _direct_step(gram, dual, residual, curvature)
