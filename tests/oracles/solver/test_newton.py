"""Claims about the solver's optimum: scikit-learn's, in any space."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from solving import SPACES, probabilities, problem, solve

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning"),
    pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"),
]


def objective(X, rewards, weights, C, coef, intercept):
    logits = X @ coef + intercept
    loss = np.logaddexp(0, logits) - rewards * logits
    return 0.5 * coef @ coef + C * (weights * loss).sum()


def reference(X, rewards, weights, C=1.0):
    model = LogisticRegression(C=C, tol=1e-8, solver="newton-cholesky", max_iter=1000)
    return model.fit(X, rewards, sample_weight=weights)


def both_labels(rewards, weights):
    return rewards @ weights > 0 and (1 - rewards) @ weights > 0


# By hand


@pytest.mark.parametrize("space", SPACES)
def test_without_covariates_the_intercept_is_the_logit_of_the_share(space):
    solution = solve(np.zeros((4, 2)), np.array([1.0, 0, 0, 0]), np.ones(4), space)
    assert solution.intercept[0] == pytest.approx(-np.log(3))
    np.testing.assert_array_equal(solution.coef, 0)


@pytest.mark.parametrize("space", SPACES)
def test_two_symmetric_points_solve_their_scalar_equation(space):
    # w minimises w^2/2 + 2 C log(1 + exp(-w)): w = 2 C / (1 + exp(w)), and b = 0
    solution = solve(np.array([[-1.0], [1.0]]), np.array([0.0, 1.0]), np.ones(2), space, tol=1e-10)
    best = minimize_scalar(lambda w: w**2 / 2 + 2 * np.log1p(np.exp(-w)), options={"xtol": 1e-12})
    assert solution.coef[0, 0] == pytest.approx(best.x, abs=1e-6)
    assert solution.coef[0, 0] == pytest.approx(2 / (1 + np.exp(best.x)), abs=1e-6)
    assert solution.intercept[0] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("space", SPACES)
def test_gradient_vanishes_and_weighted_residuals_sum_to_zero(space):
    X, rewards, weights = problem(0)
    solution = solve(X, rewards, weights, space, C=2.0, tol=1e-10)
    residual = 2.0 * weights * (probabilities(X, solution) - rewards[:, None])
    np.testing.assert_allclose(solution.coef, -X.T @ residual, atol=1e-5)
    np.testing.assert_allclose(residual.sum(axis=0), 0, atol=1e-5)


def test_coefficients_are_the_contexts_times_the_dual():
    X, rewards, weights = problem(1, n=5, n_features=20)
    solution = solve(X, rewards, weights, "observations")
    np.testing.assert_allclose(solution.coef, X.T @ solution.dual)
    assert solve(X, rewards, weights).dual is None


# As scikit-learn


problems = {
    "seed": st.integers(0, 2**32 - 1),
    "n": st.integers(2, 30),
    "n_features": st.integers(1, 20),
    "C": st.sampled_from([0.01, 0.1, 1.0, 10.0, 100.0]),
    "density": st.sampled_from([0.0, 0.2, 1.0]),
    "separable": st.booleans(),
    "duplicated": st.booleans(),
    "constant": st.booleans(),
    "kind": st.sampled_from(["ones", "gamma", "poisson", "near 0"]),
}


def random_problem(seed, n, n_features, density, separable, duplicated, constant, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < density)
    if duplicated:
        X[n // 2 :] = X[: n - n // 2]
    if constant:
        X[:, 0] = 5.0
    rewards = (rng.random(n) < 0.3).astype(float)
    if separable:
        rewards = (X[:, -1] > np.median(X[:, -1])).astype(float)
    weights = {
        "ones": np.ones(n),
        "gamma": rng.standard_exponential(n),
        "poisson": rng.poisson(1.0, n).astype(float),
        "near 0": 10.0 ** rng.uniform(-8, 0, n),
    }[kind]
    return X, rewards, weights, rng


@settings(max_examples=60)
@given(**problems)
def test_probabilities_are_scikit_learns_on_seen_and_on_new_contexts(C, **kind):
    X, rewards, weights, rng = random_problem(**kind)
    assume(both_labels(rewards, weights))
    new = np.vstack([X, rng.normal(size=(10, X.shape[1]))])
    expected = reference(X, rewards, weights, C).predict_proba(new)[:, 1]
    for space in SPACES:
        found = probabilities(new, solve(X, rewards, weights, space, C=C))[:, 0]
        np.testing.assert_allclose(found, expected, atol=1e-3, err_msg=space)


@settings(max_examples=60)
@given(**problems)
def test_badly_scaled_features_end_at_the_same_optimum(C, **kind):
    X, rewards, weights, rng = random_problem(**kind)
    assume(both_labels(rewards, weights))
    X = X * 10.0 ** rng.uniform(-4, 4, size=X.shape[1])
    model = reference(X, rewards, weights, C)
    theirs = objective(X, rewards, weights, C, model.coef_[0], model.intercept_[0])
    for space in SPACES:
        ratio = {"observations": 0.5, "one by one": 1.0}.get(space.split(",")[0], np.inf)
        if len(X) > ratio * X.shape[1]:  # the oracle would not pick it
            continue
        solution = solve(X, rewards, weights, space, C=C)
        ours = objective(X, rewards, weights, C, solution.coef[:, 0], solution.intercept[0])
        assert ours <= theirs + 1e-5 * min(1, C * weights.sum()), space
        if ours > theirs - 1e-10:  # scikit-learn got there too: where it did not, it warns
            found, expected = probabilities(X, solution)[:, 0], model.predict_proba(X)[:, 1]
            np.testing.assert_allclose(found, expected, atol=1e-3, err_msg=space)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_one_scale_for_all_features_is_no_trouble(space, scale):
    X, rewards, weights = problem(2, n=12, n_features=30, scale=scale)
    solution = solve(X, rewards, weights, space)
    for column in range(3):
        ours = objective(
            X,
            rewards,
            weights[:, column],
            1.0,
            solution.coef[:, column],
            solution.intercept[column],
        )
        model = reference(X, rewards, weights[:, column])
        theirs = objective(X, rewards, weights[:, column], 1.0, model.coef_[0], model.intercept_[0])
        assert ours <= theirs + 1e-6


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e6])
def test_extreme_C_is_solved(space, C):
    X, rewards, weights = problem(3, n=40, n_features=100)
    expected = reference(X, rewards, weights[:, 0], C).predict_proba(X)[:, 1]
    found = probabilities(X, solve(X, rewards, weights, space, C=C))[:, 0]
    np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("scale", "C"), [(1.0, 1.0), (1e3, 1e6), (1e5, 1e6), (1e7, 100.0)])
def test_contexts_that_came_with_either_reward_predict_a_half_at_any_scale(space, scale, C):
    # Systems of large scale are beyond both factorisations, of observations and of features.
    contexts = scale * np.random.default_rng(0).normal(size=(5, 24))
    X, rewards = np.repeat(contexts, 2, axis=0), np.tile([0.0, 1.0], 5)
    found = probabilities(X, solve(X, rewards, np.ones(10), space, C=C))
    np.testing.assert_allclose(found, 0.5, atol=1e-3)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("scale", [1.0, 1e6, 1e7])
def test_equal_contexts_predict_the_share_of_rewards_at_any_scale(space, scale):
    X, rewards = np.full((10, 24), scale), np.repeat([0.0, 1.0], [6, 4])
    found = probabilities(X, solve(X, rewards, np.ones(10), space, C=100.0))
    np.testing.assert_allclose(found, 0.4, atol=1e-3)


@pytest.mark.parametrize("space", SPACES)
def test_one_weight_outweighing_the_other_label_stays_finite(space):
    X, rewards = np.array([[1.0], [2.0]]), np.array([0.0, 1.0])
    solution = solve(X, rewards, np.array([1e-18, 1.0]), space)
    assert np.isfinite(solution.coef).all() and np.isfinite(solution.intercept).all()
    np.testing.assert_allclose(probabilities(X, solution), 1, atol=1e-3)


@pytest.mark.parametrize("space", SPACES)
def test_zero_weights_equal_rows_left_out(space):
    X, rewards, weights = problem(4)
    weights[5:15] = 0
    kept = np.r_[:5, 15:30]
    whole = solve(X, rewards, weights, space, tol=1e-9)
    part = solve(X[kept], rewards[kept], weights[kept], space, tol=1e-9)
    np.testing.assert_allclose(whole.coef, part.coef, atol=1e-5)
    np.testing.assert_allclose(whole.intercept, part.intercept, atol=1e-5)


@pytest.mark.parametrize("space", SPACES)
def test_whole_weights_equal_repeated_rows(space):
    X, rewards, _ = problem(5)
    counts = np.random.default_rng(0).integers(1, 4, len(X))
    weighted = solve(X, rewards, counts, space, tol=1e-9)
    rows = np.repeat(np.arange(len(X)), counts)
    repeated = solve(X[rows], rewards[rows], np.ones(len(rows)), space, tol=1e-9)
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-5)


@pytest.mark.parametrize("space", SPACES)
def test_C_is_the_same_as_a_factor_of_the_weights(space):
    X, rewards, weights = problem(6)
    np.testing.assert_allclose(
        solve(X, rewards, weights, space, C=3.0).coef, solve(X, rewards, 3.0 * weights, space).coef
    )


def test_swapped_labels_swap_the_sign():
    X, rewards, weights = problem(7)
    one, other = (solve(X, labels, weights, tol=1e-10) for labels in (rewards, 1 - rewards))
    np.testing.assert_allclose(one.coef, -other.coef, atol=1e-6)
    np.testing.assert_allclose(one.intercept, -other.intercept, atol=1e-6)


def test_empty_columns_get_coefficients_of_zero():
    X, rewards, weights = problem(8)
    X[:, [0, 3]] = 0
    for space in SPACES:
        coef = solve(X, rewards, weights, space).coef
        np.testing.assert_array_equal(coef[[0, 3]], 0)
        assert (coef[1] != 0).all()


def test_rank_deficient_observations_are_solved_without_iterations():
    # fewer features than observations, large: conjugate gradients lose their way in rounding
    X, rewards, weights = problem(17, n=28, n_features=3, scale=1e4)
    rewards[::3] = 1 - rewards[::3]
    expected = probabilities(X, solve(X, rewards, weights))
    np.testing.assert_allclose(
        probabilities(X, solve(X, rewards, weights, "observations")), expected, atol=1e-3
    )


def test_logits_of_shares_start_the_solve():
    X, rewards, weights = problem(18)
    solution = solve(X, rewards, weights, C=1e-12)
    np.testing.assert_allclose(solution.intercept, logit(rewards @ weights / weights.sum(axis=0)))
