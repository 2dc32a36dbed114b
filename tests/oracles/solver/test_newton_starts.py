"""Claims about the solver's columns and starts: neither moves the optimum."""

import numpy as np
import pytest
from solving import SPACES, probabilities, problem, solve

from cbkit.oracles.solver.newton import Solution

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("space", SPACES)
def test_columns_of_weights_do_not_touch_each_other(space):
    X, rewards, weights = problem(9)
    weights[:, 1] *= 1e-6  # converges at once, the others later
    together = solve(X, rewards, weights, space, tol=1e-9)
    for column in range(3):
        alone = solve(X, rewards, weights[:, column], space, tol=1e-9)
        np.testing.assert_allclose(together.coef[:, [column]], alone.coef, atol=1e-6)


@pytest.mark.parametrize("space", SPACES)
def test_warm_start_ends_where_a_cold_start_does(space):
    X, rewards, weights = problem(10)
    earlier = solve(X[:20], rewards[:20], weights[:20], space)
    warm = solve(X, rewards, weights, space, start=earlier)
    cold = solve(X, rewards, weights, space)
    np.testing.assert_allclose(probabilities(X, warm), probabilities(X, cold), atol=1e-3)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("size", [0.0, 40.0])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e4])
def test_a_start_without_curvature_is_recovered_from(space, C, size):
    X, rewards, weights = problem(11)
    dual = np.full((30, 3), size)
    start = Solution(X.T @ dual, np.array([-30.0, 30.0, 0.0]), dual)
    found = probabilities(X, solve(X, rewards, weights, space, start=start, C=C))
    expected = probabilities(X, solve(X, rewards, weights, space, C=C))
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_solution_of_one_space_may_start_the_other():
    X, rewards, weights = problem(12, n=10, n_features=30)
    spaces = "features", "observations"
    features, observations = (solve(X, rewards, weights, space) for space in spaces)
    for space, start in zip(spaces, (observations, features), strict=True):
        found = probabilities(X, solve(X, rewards, weights, space, start=start))
        np.testing.assert_allclose(found, probabilities(X, features), atol=1e-3)


@pytest.mark.parametrize("space", SPACES)
def test_the_start_is_not_changed(space):
    X, rewards, weights = problem(13)
    start = solve(X[:10], rewards[:10], weights[:10], space)
    before = start.coef.copy(), start.intercept.copy()
    solve(X, rewards, weights, space, start=start)
    np.testing.assert_array_equal(start.coef, before[0])
    np.testing.assert_array_equal(start.intercept, before[1])


@pytest.mark.parametrize("space", SPACES)
def test_a_smaller_tol_ends_closer_to_the_optimum(space):
    X, rewards, weights = problem(14)
    exact = solve(X, rewards, weights, space, tol=1e-14).coef
    loose = solve(X, rewards, weights, space, tol=1e3).coef
    tight = solve(X, rewards, weights, space, tol=1e-8).coef
    assert np.abs(tight - exact).max() < 1e-4 < np.abs(loose - exact).max()


def test_integer_rewards_and_single_precision_give_the_same_numbers():
    X, rewards, weights = problem(15)
    X = X.astype(np.float32)
    expected = solve(X.astype(float), rewards, weights, tol=1e-8).coef
    found = solve(X, rewards.astype(np.int8), weights.astype(np.float32), tol=1e-8).coef
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_both_preconditioners_and_both_spaces_agree():
    # up to 300 dense features share a factor, more take each Hessian's diagonal
    X, rewards, weights = problem(16, n=60, n_features=300)
    few = solve(X, rewards, weights, tol=1e-8)
    many = solve(np.hstack([X, np.zeros((60, 10))]), rewards, weights, tol=1e-8)
    dual = solve(X, rewards, weights, "observations", tol=1e-8)
    np.testing.assert_allclose(many.coef[:300], few.coef, atol=1e-5)
    np.testing.assert_allclose(dual.coef, few.coef, atol=1e-5)
    np.testing.assert_array_equal(many.coef[300:], 0)
