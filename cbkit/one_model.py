"""Newton's method for one logistic regression on few observations, without columns.

Most refits of policies with one model per arm are so small that numpy's calls cost more than their
arithmetic. With vectors in place of one-column matrices a refit takes half the time and less.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import expit

from cbkit.line_search import EXACT_MARGIN, MAX_NEWTON_STEPS, SAFE_MOVE, best_step_size
from cbkit.spaces import TINY, left_by_full_step, target_of

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
    linear = gram @ dual
    logits = linear + intercept
    positive, negative = weights @ rewards, weights @ (1.0 - rewards)
    cold = math.log(positive) - math.log(negative)
    worst = positive * np.logaddexp(0.0, -cold) + negative * np.logaddexp(0.0, cold)
    loss = weights @ (np.logaddexp(0.0, logits) - rewards * logits) + 0.5 * (dual @ linear)
    if not loss <= worst:  # or is not a number; as `newton` starts several
        dual, intercept, logits = np.zeros_like(dual), cold, np.full_like(logits, cold)
    for _ in range(MAX_NEWTON_STEPS):
        probability = expit(logits)
        residual = weights * (probability - rewards)
        curvature = weights * probability * (1.0 - probability)
        if direct:
            step, step_b, move, decrement, unsolved = _direct_step(gram, dual, residual, curvature)
        else:
            step, step_b, move, decrement, unsolved = _iterated_step(
                gram, dual, residual, curvature, tol
            )
        largest = np.abs(move).max()
        size = 1.0
        if largest > SAFE_MOVE:
            penalty = step @ (logits - intercept), 0.5 * (step @ (move - step_b))
            size = best_step_size(logits, move, rewards, weights, decrement, penalty)
        dual = dual + size * step
        intercept += size * step_b
        logits = logits + size * move
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
    by_intercept = root * solved[1]
    step = descent - root * solved[0]
    step_b = (step.sum() + dual.sum()) / (by_intercept.sum() + TINY)
    step -= step_b * by_intercept
    move = gram @ step
    decrement = descent @ move - residual.sum() * step_b
    return step, step_b, move + step_b, decrement, 0.0


def _iterated_step(
    gram: np.ndarray, dual: np.ndarray, residual: np.ndarray, curvature: np.ndarray, tol: float
) -> _Step:
    """Seek the step by conjugate gradients; see `ObservationSpace`."""
    diagonal_b = (curvature / (1.0 + curvature * gram.trace())).sum() + TINY
    r, r_b = -(dual + residual), -residual.sum()
    gram_r = gram @ r
    step, step_b = np.zeros_like(r), 0.0
    move, decrement = np.zeros_like(r), 0.0
    p, gram_p, p_b = r.copy(), gram_r.copy(), r_b / diagonal_b
    rz = r @ gram_r + r_b * p_b
    floor = 1e-2 * tol
    target = target_of(rz, floor)
    for _ in range(2 * len(r) + 10):
        if rz <= target and rz <= max(decrement, floor):  # `is_unsolved`, without numpy's calls
            return step, step_b, move, decrement, max(rz, 0.0)
        p_move = gram_p + p_b
        h = curvature * p_move
        h_b = h.sum()
        h += p
        curved = h @ gram_p + p_b * h_b
        if not curved > 0:
            break
        alpha = rz / curved
        step += alpha * p
        step_b += alpha * p_b
        move += alpha * p_move
        decrement += alpha * rz
        h *= alpha
        r -= h
        r_b -= alpha * h_b
        gram_r = gram @ r
        after = r @ gram_r + r_b * r_b / diagonal_b
        beta = after / rz
        p *= beta
        p += r
        gram_p *= beta
        gram_p += gram_r
        p_b = r_b / diagonal_b + beta * p_b
        rz = after
    return _direct_step(gram, dual, residual, curvature)
