"""Claims about one arm's posterior: exact in its latest rows, Gaussian in those before."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from cbkit.oracles.posteriors.windowed import WindowedPosterior

CONTAINERS = (np.asarray, sparse.csr_array)


def observations(n, seed=0, n_features=4, scale=1.0):
    rng = np.random.default_rng(seed)
    X = scale * rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.7)
    rewards = (rng.random(n) < expit(X[:, 0] / scale)).astype(float)
    rewards[:2] = 0, 1
    return X, rewards, rng


def started(X, rewards, weights, C=1.0, container=np.asarray):
    posterior = WindowedPosterior(X.shape[1], weights.shape[1], C)
    posterior.add(container(X), rewards, weights)
    return posterior


def by_scikit_learn(X, rewards, weights, C):
    """The intercept is the coefficient of a constant 10, as its prior's variance is 100 C's 1."""
    design = np.column_stack([X, np.full(len(X), 10 / np.sqrt(C))])
    model = LogisticRegression(C=C, fit_intercept=False, tol=1e-10, max_iter=10_000)
    coef = model.fit(design, rewards, sample_weight=weights).coef_[0]
    return np.append(coef[:-1], coef[-1] * 10 / np.sqrt(C))


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_without_any_row_gone_it_is_weighted_logistic_regression(container, C):
    X, rewards, rng = observations(30)
    weights = rng.standard_exponential((30, 3))
    posterior = started(X[:10], rewards[:10], weights[:10], C, container)
    posterior.solve()
    posterior.add(container(X[10:]), rewards[10:], weights[10:])
    coef = posterior.solve()
    for resample in range(3):
        expected = by_scikit_learn(X, rewards, weights[:, resample], C)
        np.testing.assert_allclose(coef[:, resample], expected, atol=2e-4, rtol=2e-4)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_newton_ends_at_the_optimum_at_any_scale_of_contexts(scale):
    X, rewards, rng = observations(40, scale=scale)
    weights = 10 * rng.standard_exponential((40, 4))
    coef = started(X, rewards, weights).solve()
    chance = expit(X @ coef[:-1] + coef[-1])
    gradient = X.T @ (weights * (chance - rewards[:, None])) + coef[:-1]
    np.testing.assert_allclose(gradient / (scale * weights.sum(axis=0)), 0, atol=1e-4)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("n_kept", [1, 7])
def test_rows_that_leave_leave_the_optimum_where_it_is(container, n_kept):
    X, rewards, rng = observations(30)
    posterior = started(X, rewards, rng.standard_exponential((30, 2)), container=container)
    coef = posterior.solve()
    variance = posterior.variance()
    posterior.absorb(coef, n_kept)
    assert posterior.n_kept == n_kept
    np.testing.assert_allclose(posterior.variance(), variance, rtol=1e-6)
    np.testing.assert_allclose(posterior.solve(), coef, atol=1e-4)


def test_the_gaussian_is_that_of_chapelle_and_li_block_by_block():
    X, rewards, _ = observations(45)
    design = np.column_stack([X, np.ones(45)])
    mean, precision = np.zeros(5), np.array([1, 1, 1, 1, 1 / 100])
    posterior = WindowedPosterior(4, 1, C=1.0)
    for rows in np.split(np.arange(45), [10, 25]):

        def loss(w, rows=rows, mean=mean, precision=precision):
            logits = design[rows] @ w
            fit = np.logaddexp(0, logits) - rewards[rows] * logits
            return 0.5 * precision @ (w - mean) ** 2 + fit.sum()

        mean = minimize(loss, mean, tol=1e-12).x
        chance = expit(design[rows] @ mean)
        precision = precision + (chance * (1 - chance)) @ design[rows] ** 2
        posterior.add(X[rows], rewards[rows], np.ones((len(rows), 1)))
        coef = posterior.solve()
        np.testing.assert_allclose(coef[:, 0], mean, atol=1e-3)
        posterior.absorb(coef, 0)
        np.testing.assert_allclose(posterior.variance()[:, 0], 1 / precision, rtol=1e-3)


def test_rows_of_one_kind_that_are_dropped_go_on_counting():
    X, rewards, _ = observations(1010, n_features=2)
    rewards[:] = np.arange(1010) >= 1000
    X[:] = np.random.default_rng(1).normal(size=X.shape) + rewards[:, None]
    ones = np.ones((1010, 1))
    thinned = WindowedPosterior(2, 1, C=1.0)
    for block in np.split(np.arange(1000), 20):
        thinned.add(X[block], rewards[block], ones[block])
        if thinned.n_kept > 200:
            thinned.thin(100)
    assert thinned.n_kept <= 200
    thinned.add(X[1000:], rewards[1000:], ones[1000:])
    whole, few = (p.solve()[:, 0] for p in (started(X, rewards, ones), thinned))
    assert expit(X @ few[:-1] + few[-1]).mean() == pytest.approx(
        0.01, rel=0.3
    )  # .05 or more if forgotten
    np.testing.assert_allclose(few, whole, atol=0.5)


def test_it_knows_whether_both_kinds_of_reward_were_seen():
    posterior = started(np.zeros((2, 3)), np.zeros(2), np.ones((2, 1)))
    assert not posterior.has_both
    posterior.add(np.zeros((1, 3)), np.ones(1), np.ones((1, 1)))
    assert posterior.has_both
    posterior.absorb(posterior.solve(), 0)
    assert posterior.has_both
