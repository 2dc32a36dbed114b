"""Small problems for the solver, in any of its spaces."""

from unittest import mock

import numpy as np
from scipy import sparse
from scipy.special import expit

from cbkit.oracles.solver.newton import Solution, solve_logistic

ONE_BY_ONE = ("one by one, direct", "one by one, iterated")
SPACES = ("features", "sparse features", "observations", *ONE_BY_ONE)


def solve(X, rewards, weights, space="features", **keywords):
    """Solve in one of the spaces; `weights` may be one column."""
    weights = np.asarray(weights).reshape(len(rewards), -1)
    if space in ONE_BY_ONE:
        largest = 0 if space.endswith("iterated") else len(rewards)
        with mock.patch("cbkit.oracles.solver.one_model._MAX_DIRECT", largest):
            return _one_by_one(X, rewards, weights, **keywords)
    if space == "observations" and weights.shape[1] == 1:  # two, or it is solved as one by one
        both = solve(X, rewards, np.repeat(weights, 2, axis=1), space, **_twice(keywords))
        return _column(both, 0)
    gram = X @ X.T if space == "observations" else None
    X = sparse.csr_array(X) if space == "sparse features" else X
    return solve_logistic(X, rewards, weights, gram=gram, **keywords)


def _one_by_one(X, rewards, weights, start=None, **keywords):
    columns = range(weights.shape[1])
    starts = [start and _column(start, column) for column in columns]
    solutions = [
        solve_logistic(
            X, rewards, weights[:, [column]], gram=X @ X.T, start=starts[column], **keywords
        )
        for column in columns
    ]
    return Solution(
        np.column_stack([solution.coef for solution in solutions]),
        np.concatenate([solution.intercept for solution in solutions]),
        np.column_stack([solution.dual for solution in solutions]),
    )


def _column(solution, column):
    dual = None if solution.dual is None else solution.dual[:, [column]]
    return Solution(solution.coef[:, [column]], solution.intercept[[column]], dual)


def _twice(keywords):
    if start := keywords.get("start"):
        parts = start.coef, start.intercept, start.dual
        keywords = {**keywords, "start": Solution(*(np.repeat(part, 2, axis=-1) for part in parts))}
    return keywords


def probabilities(X, solution):
    return expit(X @ solution.coef + solution.intercept)


def problem(seed, n=30, n_features=8, scale=1.0):
    """Random contexts, rewards of both kinds and three columns of weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * scale
    rewards = (rng.random(n) < expit(X[:, 0] / np.max(scale))).astype(float)
    rewards[:2] = 0, 1
    return X, rewards, rng.exponential(size=(n, 3)) + 0.01
