"""Claims about hard problems of one model: contexts, weights and C of very different sizes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from solving import probabilities

from cbkit.oracles.solver.line_search import MAX_NEWTON_STEPS
from cbkit.oracles.solver.newton import solve_logistic
from cbkit.oracles.solver.one_model import _iterated_step, solve_one

pytestmark = pytest.mark.filterwarnings("error")


def uneven(seed, n, n_features, share):
    """Contexts whose norms differ by up to 10,000 times."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * 10 ** rng.uniform(-2, 2, size=(n, 1))
    return X, (rng.random(n) < share).astype(float), rng


def expected(X, rewards, weights, C):
    model = LogisticRegression(C=C, tol=1e-8, solver="newton-cholesky", max_iter=1000)
    return model.fit(X, rewards, sample_weight=weights).predict_proba(X)[:, 1]


@pytest.mark.parametrize("seed, n_columns", [(19, 2), (26, 1)])
def test_uneven_contexts_with_random_weights(seed, n_columns):
    X, rewards, rng = uneven(seed, 120, 180, 0.3)
    weights = rng.standard_exponential((120, 1))
    columns = np.repeat(weights, n_columns, axis=1)
    found = probabilities(X, solve_logistic(X, rewards, columns, C=3e3, gram=X @ X.T))
    np.testing.assert_allclose(found[:, 0], expected(X, rewards, weights[:, 0], 3e3), atol=1e-3)


@pytest.mark.parametrize(
    "seed, n, n_features, n_columns", [(5, 200, 200, 1), (2, 200, 200, 2), (7, 300, 600, 1)]
)
def test_uneven_contexts_hardly_penalised(seed, n, n_features, n_columns):
    X, rewards, _ = uneven(seed, n, n_features, 0.2)
    solution = solve_logistic(X, rewards, np.ones((n, n_columns)), C=1e4, gram=X @ X.T)
    found = probabilities(X, solution)[:, 0]
    np.testing.assert_allclose(found, expected(X, rewards, None, 1e4), atol=1e-3)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from([1e-2, 1.0, 1e3]), st.sampled_from([1e-8, 1e-3]))
def test_no_step_leaves_more_than_it_gains(seed, C, tol):
    X, rewards, rng = uneven(seed, 40, 60, 0.3)
    weights, dual = C * rng.exponential(size=40), C * rng.normal(size=40)
    gram = X @ X.T
    probability = expit(gram @ dual)
    residual, curvature = weights * (probability - rewards), weights * expit(-gram @ dual)
    parts = gram, gram.trace(), dual, residual, curvature * probability, tol
    *_, decrement, unsolved = _iterated_step(*parts)
    assert 0 <= unsolved <= max(decrement, 0.01 * tol)


def test_it_ends_in_few_steps_at_the_smallest_tolerance(monkeypatch):
    X, rewards, _ = uneven(3, 120, 200, 0.3)
    gram, start = X @ X.T, np.zeros(120)
    steps = []
    original = _iterated_step

    def counted(*parts):
        steps.append(1)
        return original(*parts)

    monkeypatch.setattr("cbkit.oracles.solver.one_model._iterated_step", counted)
    solve_one(gram, rewards, np.ones(120), start, 0.0, tol=1e-10)
    assert len(steps) < MAX_NEWTON_STEPS / 4


@pytest.mark.parametrize("seed, noise", [(185, 0.0), (142, 0.1)])  # were off by 1 and 0.04
def test_contexts_too_large_for_their_gram_matrix_are_fitted_without_it(seed, noise):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(64, 5)) * 10 ** rng.uniform(-2, 2, size=5)
    signal = X @ rng.normal(size=5)
    rewards = (signal + noise * signal.std() * rng.normal(size=64) > 0).astype(float)
    C = 5e10 / (X**2).sum(axis=1).max()
    found, expected = (
        solve_logistic(X, rewards, np.ones((64, 1)), C=C, gram=gram) for gram in (X @ X.T, None)
    )
    np.testing.assert_allclose(probabilities(X, found), probabilities(X, expected), atol=1e-3)
