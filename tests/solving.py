"""Small problems for the solver, in any of its spaces."""

import numpy as np
from scipy import sparse
from scipy.special import expit

from cbkit.newton import solve_logistic

SPACES = ("features", "sparse features", "observations")


def solve(X, rewards, weights, space="features", **keywords):
    """Solve in one of the spaces; `weights` may be one column."""
    weights = np.asarray(weights)
    gram = X @ X.T if space == "observations" else None
    X = sparse.csr_array(X) if space == "sparse features" else X
    return solve_logistic(X, rewards, weights.reshape(len(rewards), -1), gram=gram, **keywords)


def probabilities(X, solution):
    return expit(X @ solution.coef + solution.intercept)


def problem(seed, n=30, n_features=8, scale=1.0):
    """Random contexts, rewards of both kinds and three columns of weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * scale
    rewards = (rng.random(n) < expit(X[:, 0] / np.max(scale))).astype(float)
    rewards[:2] = 0, 1
    return X, rewards, rng.exponential(size=(n, 3)) + 0.01
