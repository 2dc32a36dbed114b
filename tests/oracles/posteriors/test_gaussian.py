"""Claims about Gaussian posteriors: closed forms, by rows and by features."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.linear_model import BayesianRidge, LogisticRegression, Ridge

from cbkit.oracles.posteriors.gaussian import (
    INTERCEPT_VARIANCE,
    GaussianPosterior,
    scores_with_spread,
)
from cbkit.oracles.posteriors.laplace import LaplaceOracle
from cbkit.oracles.posteriors.ridge import RidgeOracle
from cbkit.oracles.resampling import Resampling

CONTAINERS = (np.asarray, sparse.csr_array)
SHAPES = [(4, 9), (9, 9), (10, 9), (40, 9)]  # the first two by rows, the others by features


def observations(n, n_features, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.6)
    rewards = (rng.random(n) < expit(X[:, 0])).astype(float)
    rewards[:2] = 0, 1
    return X, rewards, rng.normal(size=(5, n_features))


def by_inverse(X, curvature, C, intercept_variance, at):
    """Variances of the linear predictor from the dense inverse of the precision."""
    design, at = (np.column_stack([part, np.ones(len(part))]) for part in (X, at))
    prior = np.append(np.full(X.shape[1], 1 / C), 1 / intercept_variance)
    covariance = np.linalg.inv(np.diag(prior) + design.T @ (curvature[:, None] * design))
    return np.einsum("ij,jk,ik->i", at, covariance, at), covariance


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_variances_are_those_of_the_dense_inverse(shape, container):
    X, _, at = observations(*shape)
    curvature = np.random.default_rng(1).random(len(X))
    curvature[0] = 0.0
    posterior = GaussianPosterior(container(X), curvature, C=0.3, intercept_variance=100.0)
    expected, _ = by_inverse(X, curvature, 0.3, 100.0, at)
    np.testing.assert_allclose(posterior.variances(container(at)), expected, rtol=1e-8)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_ridge_is_the_closed_form_and_scikit_learns(shape, container):
    X, rewards, at = observations(*shape)
    oracle = RidgeOracle(alpha=2.0)
    oracle.learn(3, container(X), rewards, np.random.default_rng(0))
    scores = oracle.score(container(at))
    design, design_at = (np.column_stack([part, np.ones(len(part))]) for part in (X, at))
    ridge = Ridge(alpha=2.0, fit_intercept=False, tol=1e-12).fit(design, rewards)
    np.testing.assert_allclose(scores[:, 0, 0], ridge.predict(design_at), atol=1e-8)
    variances, covariance = by_inverse(X, np.ones(len(X)), 0.5, 0.5, at)
    closed = design_at @ covariance @ design.T @ rewards
    np.testing.assert_allclose(scores[:, 0, 0], closed, atol=1e-8)
    np.testing.assert_allclose(np.diff(scores[:, 0], axis=1)[:, 0] ** 2, variances, rtol=1e-8)


def test_ridge_is_bayesian_ridge_with_its_hyperparameters_fixed():
    X, rewards, at = observations(40, 9)
    design, design_at = (np.column_stack([part, np.ones(len(part))]) for part in (X, at))
    # Gamma priors so sharp that they fix the noise's precision at 1 and the weights' at 2.
    model = BayesianRidge(
        fit_intercept=False,
        alpha_init=1.0,
        lambda_init=2.0,
        alpha_1=1e12,
        alpha_2=1e12,
        lambda_1=2e12,
        lambda_2=1e12,
    ).fit(design, rewards)
    means, deviations = model.predict(design_at, return_std=True)
    oracle = RidgeOracle(alpha=2.0)
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    scores = oracle.score(at)[:, 0]
    np.testing.assert_allclose(scores[:, 0], means, rtol=1e-5)
    ours = np.diff(scores, axis=1)[:, 0] ** 2
    np.testing.assert_allclose(ours, deviations**2 - 1, rtol=1e-5)  # theirs is of a new reward


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_laplace_is_scikit_learns_mode_and_the_curvature_there(shape, container):
    X, rewards, at = observations(*shape)
    oracle = LaplaceOracle(C=0.7)
    oracle.learn(1, container(X), rewards, np.random.default_rng(0))
    scores = oracle.score(container(at))[:, 0]
    model = LogisticRegression(C=0.7, tol=1e-10).fit(X, rewards)
    np.testing.assert_allclose(scores[:, 0], model.predict_proba(at)[:, 1], atol=1e-3)
    chance = model.predict_proba(X)[:, 1]
    expected, _ = by_inverse(X, chance * (1 - chance), 0.7, INTERCEPT_VARIANCE, at)
    ours = np.diff(logit(scores), axis=1)[:, 0]
    np.testing.assert_allclose(ours, np.sqrt(expected), rtol=1e-2)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("parts", [[3], [5, 12], [1, 2, 9, 10, 11, 30]])
def test_rows_that_come_later_count_as_if_they_had_come_at_once(parts, container):
    X, rewards, at = observations(40, 9)
    at_once, later = RidgeOracle(alpha=0.5), RidgeOracle(alpha=0.5)
    at_once.learn(0, container(X), rewards, np.random.default_rng(0))
    for rows in np.split(np.arange(40), parts):
        later.learn(0, container(X[rows]), rewards[rows], np.random.default_rng(0))
        scores = later.score(container(at))
        design = np.column_stack([X, np.ones(40)])[: rows[-1] + 1]
        at_design = np.column_stack([at, np.ones(5)])
        covariance = np.linalg.inv(0.5 * np.eye(10) + design.T @ design)
        mean = at_design @ covariance @ design.T @ rewards[: rows[-1] + 1]
        np.testing.assert_allclose(scores[:, 0, 0], mean, atol=1e-8)
        deviations = np.sqrt(np.einsum("ij,jk,ik->i", at_design, covariance, at_design))
        np.testing.assert_allclose(scores[:, 0, 1], mean + deviations, atol=1e-7)
    np.testing.assert_allclose(later.score(container(at)), at_once.score(container(at)), atol=1e-7)


def test_arms_that_were_never_played_are_scored_by_the_prior_if_there_is_one():
    X, rewards, at = observations(20, 9)
    oracle = RidgeOracle(alpha=2.0, n_arms=3)
    assert len(oracle.fitted_arms) == 0
    oracle.learn(1, X, rewards, np.random.default_rng(0))
    assert oracle.fitted_arms.tolist() == [1, 0, 2]
    prior = np.sqrt(((at**2).sum(axis=1) + 1) / 2.0)
    for position in (1, 2):
        np.testing.assert_array_equal(oracle.score(at)[:, position, 0], 0)
        np.testing.assert_allclose(oracle.score(at)[:, position, 1], prior)
    oracle.add_arm()
    oracle.drop_arm(0)
    assert oracle.fitted_arms.tolist() == [0, 1, 2]


def test_ridge_without_its_posterior_gives_the_mean_alone():
    X, rewards, at = observations(20, 9)
    oracles = RidgeOracle(), RidgeOracle(posterior=False)
    for oracle in oracles:
        oracle.learn(0, X, rewards, np.random.default_rng(0))
    with_spread, mean = (oracle.score(at) for oracle in oracles)
    assert mean.shape == (5, 1, 1)
    np.testing.assert_array_equal(mean[:, :, 0], with_spread[:, :, 0])


@pytest.mark.parametrize("make", [LaplaceOracle, RidgeOracle])
def test_dropping_an_arm_moves_those_after_it_down(make):
    X, rewards, at = observations(60, 9)
    oracle = make()
    for arm in (0, 1, 2):
        oracle.learn(arm, X[20 * arm :], rewards[20 * arm :], np.random.default_rng(0))
    before = dict(zip(oracle.fitted_arms.tolist(), oracle.score(at).swapaxes(0, 1), strict=True))
    oracle.drop_arm(1)
    after = dict(zip(oracle.fitted_arms.tolist(), oracle.score(at).swapaxes(0, 1), strict=True))
    assert set(after) == {0, 1}
    np.testing.assert_array_equal(after[0], before[0])
    np.testing.assert_array_equal(after[1], before[2])


@pytest.mark.parametrize("make", [LaplaceOracle, RidgeOracle])
def test_resamples_are_refused_and_a_copy_is_fresh(make):
    with pytest.raises(ValueError, match="takes the place of resamples; use it in LogisticUCB"):
        make().with_resampling(Resampling())
    oracle = make()
    oracle.learn(0, *observations(20, 9)[:2], np.random.default_rng(0))
    assert len(oracle.with_resampling(None).fitted_arms) == 0


def test_without_strength_of_regularisation_ridge_is_refused():
    with pytest.raises(ValueError, match=r"alpha must be greater than 0, got 0; write 1\.0"):
        RidgeOracle(alpha=0)


def test_scores_with_spread_tell_mean_and_deviation_however_sure_they_are():
    logits, deviations = np.array([[-15.0, 0.0, 12.0, 900.0]]), np.array([[2.0, 1e-3, 1.5, 2.0]])
    scores = scores_with_spread(logits, deviations)
    assert np.isfinite(logit(scores)).all()
    np.testing.assert_allclose(logit(scores[0, :3, 0]), logits[0, :3], rtol=1e-6)
    spread = np.diff(logit(scores), axis=2)[0, :3, 0]
    np.testing.assert_allclose(spread, deviations[0, :3], rtol=1e-5)
