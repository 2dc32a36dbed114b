"""Resample weights and the batched weighted regressions of the coverage study."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from cbkit.oracles.resampling import draw_weights
from cbkit.studies.coverage.models import MODELS
from cbkit.studies.coverage.solvers import weighted_least_squares, weighted_logistic
from cbkit.studies.coverage.study import SPREADS, WEIGHTS


def problem(family="logistic_correlated", n_samples=4, size=60, n_resamples=3, kind="gamma(1,1)"):
    rng = np.random.default_rng(0)
    X, y = MODELS[family].samples(n_samples, size, rng)
    return X, y, np.moveaxis(draw_weights(kind, (size, n_samples, n_resamples), rng), 0, 1)


@pytest.mark.statistical
@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_have_the_stated_mean_and_spread(name):
    n = 200_000
    drawn = draw_weights(WEIGHTS[name], (n, 1), np.random.default_rng(0)).ravel()
    mean = 0.5 if name == "uniform" else 1.0
    std = mean * SPREADS[name]
    fourth_moment = ((drawn - mean) ** 4).mean()
    assert abs(drawn.mean() - mean) <= 4 * std / np.sqrt(n)
    assert abs(drawn.var() - std**2) <= 4 * np.sqrt((fourth_moment - std**4) / n)


def test_bootstrap_weights_sum_to_the_number_of_observations():
    drawn = draw_weights("multinomial", (12, 2, 3), np.random.default_rng(0))
    assert (drawn.sum(axis=0) == 12).all()


@pytest.mark.parametrize("kind", WEIGHTS.values())
def test_weighted_least_squares_equals_lstsq_on_weighted_rows(kind):
    X, y, weights = problem("linear", kind=kind)
    ours = weighted_least_squares(X, y, weights)
    for s, r in np.ndindex(4, 3):
        root = np.sqrt(weights[s, :, r])
        theirs = np.linalg.lstsq(root[:, None] * X[s], root * y[s], rcond=None)[0]
        np.testing.assert_allclose(ours[s, :, r], theirs, atol=1e-10)


def test_least_squares_with_too_few_observations_gives_the_least_norm_solution():
    X, y, weights = problem("linear", size=10)
    weights[:, 2:] = 0
    ours = weighted_least_squares(X, y, weights)
    root = np.sqrt(weights[0, :, 0])
    theirs = np.linalg.lstsq(root[:, None] * X[0], root * y[0], rcond=None)[0]
    np.testing.assert_allclose(ours[0, :, 0], theirs, atol=1e-6)


def test_weighted_logistic_without_penalty_equals_scikit_learn():
    X, y, weights = problem(size=200)
    ours = weighted_logistic(X, y, weights, ridge=1e-9)
    for s, r in np.ndindex(4, 3):
        theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
        theirs.fit(X[s, :, 1:], y[s], sample_weight=weights[s, :, r])
        expected = np.r_[theirs.intercept_, theirs.coef_[0]]
        np.testing.assert_allclose(ours[s, :, r], expected, rtol=1e-3, atol=1e-3)


def test_weighted_logistic_with_a_penalty_equals_scikit_learn_penalising_every_column():
    X, y, weights = problem()
    ours = weighted_logistic(X, y, weights, ridge=2.0)
    theirs = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=1000)
    theirs.fit(X[1], y[1], sample_weight=weights[1, :, 2])
    np.testing.assert_allclose(ours[1, :, 2], theirs.coef_[0], atol=1e-4)


@pytest.mark.parametrize("size", [4, 10, 25])
@pytest.mark.parametrize("kind", ["multinomial", "poisson", "gamma(1,1)"])
def test_the_gradient_is_zero_even_where_labels_separate_or_are_all_the_same(size, kind):
    X, y, weights = problem(n_samples=40, size=size, n_resamples=10, kind=kind)
    coefficients = weighted_logistic(X, y, weights)
    residuals = weights * (y[:, :, None] - expit(X @ coefficients))
    gradient = np.swapaxes(X, 1, 2) @ residuals - 1e-3 * coefficients
    assert np.abs(gradient).max() < 1e-4


def test_a_resample_with_one_label_predicts_that_label():
    X, y, weights = problem(n_resamples=2)
    weights[:, :, 0] *= y  # only positives weigh in the first resample, only negatives in the other
    weights[:, :, 1] *= 1 - y
    probability = expit(X @ weighted_logistic(X, y, weights))
    assert np.median(probability[:, :, 0]) > 0.99
    assert np.median(probability[:, :, 1]) < 0.01


def test_a_sample_is_solved_the_same_alone_and_among_others():
    X, y, weights = problem()
    alone = weighted_logistic(X[2:3], y[2:3], weights[2:3])
    np.testing.assert_allclose(weighted_logistic(X, y, weights)[2:3], alone, atol=1e-6)


def test_solvers_refuse_what_makes_no_sense():
    X, y, weights = problem()
    with pytest.raises(ValueError, match="labels must be 0 or 1"):
        weighted_logistic(X, 2 * y, weights)
    with pytest.raises(ValueError, match="ridge must be above 0, got 0"):
        weighted_logistic(X, y, weights, ridge=0)
    with pytest.raises(ValueError, match=r"\(n_samples, sample_size, 4\)"):
        weighted_least_squares(X[:, :, :3], y, weights)
    with pytest.raises(ValueError, match="first two lengths"):
        weighted_least_squares(X, y[:, :-1], weights)
