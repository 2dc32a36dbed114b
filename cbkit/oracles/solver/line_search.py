"""How far to go along a Newton step, and when steps may end."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from cbkit.oracles.solver.spaces import TINY

MAX_NEWTON_STEPS = 100
SAFE_MOVE = np.log(2.0)  # of a logit; up to it a full step lowers the objective
EXACT_MARGIN = 20.0  # an exact step's bound says what is left, the other rule what is far less
_SUFFICIENT = 1e-4  # share of what the slope promises that a step has to achieve
_MAX_EVALUATIONS = 20


def step_sizes(
    logits: np.ndarray,
    move: np.ndarray,
    largest: np.ndarray,
    rewards: np.ndarray,
    weights: np.ndarray,
    decrement: np.ndarray,
    penalty: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Return each column's step: 1 where that is safe, else by halving (Armijo's rule).

    Halving ends at ``log(1 + largest) / largest``, from where on a step of a logistic loss is
    bound to descend.

    Parameters
    ----------
    logits, move : ndarray, shape (n_observations, n_columns)
        The linear predictors and their change along the whole step.
    largest : ndarray, shape (n_columns,)
        The largest of the moves in size.
    rewards : ndarray, shape (n_observations, 1)
        0 or 1.
    weights : ndarray, shape (n_observations, n_columns)
        Weights times the factor C.
    decrement : ndarray, shape (n_columns,)
        Squared Newton decrements.
    penalty : pair of ndarrays, each of shape (n_columns,)
        The penalty changes by ``size * penalty[0] + size**2 * penalty[1]``.

    Returns
    -------
    ndarray, shape (n_columns,)
        Sizes, at most 1.

    Examples
    --------
    >>> one, move = np.ones((1, 1)), np.array([[8.0]])
    >>> penalty = np.zeros(1), np.array([32.0])            # descends nowhere near: ends at log(9)/8
    >>> step_sizes(0 * one, move, move[0], one, one, np.ones(1), penalty)
    array([0.25])
    """
    size = np.ones(len(decrement))
    trying = np.flatnonzero(largest > SAFE_MOVE)
    while len(trying):
        now, moved = logits[:, trying], move[:, trying]
        t = size[trying]
        loss = np.logaddexp(0.0, now + t * moved) - np.logaddexp(0.0, now) - rewards * (t * moved)
        change = (weights[:, trying] * loss).sum(axis=0)
        change += t * penalty[0][trying] + t * t * penalty[1][trying]
        safe = np.log1p(largest[trying]) / largest[trying]
        trying = trying[(change > -_SUFFICIENT * t * decrement[trying]) & (t > safe)]
        size[trying] *= 0.5
    return size


def best_step_size(
    logits: np.ndarray,
    move: np.ndarray,
    rewards: np.ndarray,
    weights: np.ndarray,
    decrement: float,
    penalty: tuple[float, float],
) -> float:
    """Return how far to go along one step: to where the objective is level, if it has fallen there.

    Level means a slope of at most a tenth of the first. Where it still falls there, the objective
    is sure to have fallen, being convex. Where no such place is found or the objective has not
    fallen enough, the step is halved as by `step_sizes`. Worth its few evaluations for a
    first step after new observations, which mostly falls short.

    Parameters
    ----------
    logits, move, rewards, weights : ndarray, shape (n_observations,)
        As for `step_sizes`, of one column.
    decrement : float
        Squared Newton decrement: how steeply the objective falls at first.
    penalty : pair of float
        As for `step_sizes`.

    Returns
    -------
    float
        Size, greater than 0.

    Examples
    --------
    >>> move, weights = np.array([8.0]), np.ones(1)          # 8 / (1 + exp(8 t)) is 2 t at t = 0.31
    >>> size = best_step_size(0 * move, move, weights, weights, 4.0, (0.0, 1.0))
    >>> bool(abs(8 / (1 + np.exp(8 * size)) - 2 * size) < 0.4)
    True
    """
    size, slope = _level_size(logits, move, rewards, weights, decrement, penalty)
    if slope <= -_SUFFICIENT * decrement:
        return size  # the objective is convex: it has fallen at least as steeply all the way
    if slope < np.inf:
        moved = size * move
        loss = np.logaddexp(0.0, logits + moved) - np.logaddexp(0.0, logits) - rewards * moved
        change = weights.dot(loss) + size * penalty[0] + size * size * penalty[1]
        if change <= -_SUFFICIENT * size * decrement:
            return size
    return step_sizes(
        logits[:, None],
        move[:, None],
        np.abs(move).max(keepdims=True),
        rewards[:, None],
        weights[:, None],
        np.array([decrement]),
        (np.array(penalty[:1]), np.array(penalty[1:])),
    )[0]


def _level_size(
    logits: np.ndarray,
    move: np.ndarray,
    rewards: np.ndarray,
    weights: np.ndarray,
    decrement: float,
    penalty: tuple[float, float],
) -> tuple[float, float]:
    """Seek the level place by Newton's method, between bounds; parameters as above.

    Returns the size and the slope there; where no place was found, the slope is infinite and the
    size means nothing.
    """
    size, short, far = 1.0, 0.0, np.inf
    for _ in range(_MAX_EVALUATIONS):
        probability = expit(logits + size * move)
        slope = move.dot(weights * (probability - rewards)) + penalty[0] + 2.0 * size * penalty[1]
        if abs(slope) <= 0.1 * decrement:
            return size, slope
        short, far = (size, far) if slope < 0 else (short, size)
        curvature = weights * probability * (1.0 - probability)
        bend = (move * move).dot(curvature) + 2.0 * penalty[1]
        size -= slope / (bend + TINY)
        if far == np.inf:
            size = min(size, 4.0 * short)  # where the loss is flat Newton's method leaps
        elif not short < size < far:
            size = 0.5 * (short + far)
    return size, np.inf
