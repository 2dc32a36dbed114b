"""Claims about tall problems: scikit-learn's optimum, whatever the start and the precision."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from solving import probabilities, problem

from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.solver import tall
from cbkit.oracles.solver.newton import Solution, solve_logistic
from cbkit.oracles.solver.shared_inverse import SharedInverse
from cbkit.oracles.solver.tall_problem import TallProblem

pytestmark = pytest.mark.filterwarnings("error")

N, N_FEATURES = 2500, 6


def tall_problem(seed, scale=1.0):
    return problem(seed, n=N, n_features=N_FEATURES, scale=scale)


def references(X, rewards, weights, C=1.0):
    """Scikit-learn's probabilities, one column per column of weights."""
    model = LogisticRegression(C=C, tol=1e-8, solver="newton-cholesky", max_iter=1000)
    return np.column_stack(
        [model.fit(X, rewards, sample_weight=w).predict_proba(X)[:, 1] for w in weights.T]
    )


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((256, 120), True),
        ((255, 120), False),
        ((1024, 512), True),
        ((1026, 513), False),
        ((900, 451), False),
    ],
)
def test_tall_problems_have_many_rows_and_few_features_and_are_dense(shape, expected):
    assert tall.is_tall(np.zeros(shape)) == expected
    assert not tall.is_tall(sparse.csr_array(shape))


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    log_scale=st.floats(-2, 2),
    log_C=st.floats(-2, 2),
    offset=st.sampled_from([0.0, 30.0]),
)
def test_probabilities_are_those_of_scikit_learn(as_matrix, seed, log_scale, log_C, offset):
    X, rewards, weights = tall_problem(seed, scale=10.0**log_scale)
    X[:, 1] = 0.0  # empty
    X[:, 2] = 1.0  # constant
    X[:, 3] += offset
    C = 10.0**log_C
    solution = solve_logistic(as_matrix(X), rewards, weights, C=C)
    assert tall.is_tall(X)
    np.testing.assert_allclose(
        probabilities(X, solution), references(X, rewards, weights, C), atol=1e-3
    )


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_badly_scaled_and_separable_contexts_end_where_scikit_learn_does(as_matrix):
    X, _, weights = tall_problem(1, scale=np.array([1e-4, 1e4, 1.0, 1e2, 1.0, 1e-2]))
    rewards = (X[:, 2] > 0).astype(float)
    solution = solve_logistic(as_matrix(X), rewards, weights)
    np.testing.assert_allclose(
        probabilities(X, solution), references(X, rewards, weights), atol=1e-3
    )


@pytest.mark.parametrize("offset", [3e3, 2e4, 9e5])
def test_contexts_far_from_their_origin_give_what_centred_ones_give(offset):
    # where single precision fails; the intercept, without a penalty, takes up any offset
    X, rewards, weights = tall_problem(6)
    far = X + np.eye(N_FEATURES)[3] * offset
    solution = solve_logistic(far, rewards, weights)
    np.testing.assert_allclose(
        probabilities(far, solution), references(X, rewards, weights), atol=1e-3
    )


def test_contexts_beyond_single_precision_are_newtons():
    X, rewards, weights = tall_problem(6)
    solution = solve_logistic(X * 1e25, rewards, weights)
    # so large a scale makes the penalty nothing, as a large C does
    free = solve_logistic(X, rewards, weights, C=1e8)
    np.testing.assert_allclose(probabilities(X * 1e25, solution), probabilities(X, free), atol=1e-3)


@pytest.mark.parametrize("C", [1.0, 10.0, 30.0])
def test_features_that_few_observations_have_are_fitted_as_well(C):
    rng = np.random.default_rng(0)
    entries = np.ones(1100), (np.arange(1100), rng.integers(0, 500, 1100))
    X = sparse.csr_array(entries, shape=(1100, 500))
    rewards = (rng.random(1100) < 0.5).astype(float)
    weights = rng.poisson(1.0, (1100, 3)).astype(float)
    solution = solve_logistic(X, rewards, weights, C=C)
    expected = references(X.toarray(), rewards, weights, C)
    np.testing.assert_allclose(probabilities(X, solution), expected, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-2, 1e-6])
def test_an_inverse_of_other_weights_misleads_nobody(scale):
    X, rewards, weights = tall_problem(7)
    start = solve_logistic(X, rewards, weights)
    solution = solve_logistic(X, 1 - rewards, weights * scale, start=start)
    np.testing.assert_allclose(
        probabilities(X, solution), references(X, 1 - rewards, weights * scale), atol=1e-3
    )


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_columns_of_little_weight_are_fitted_as_well(as_matrix):
    # the mean's metric makes next to nothing of their gradients
    X, rewards, weights = tall_problem(8)
    weights = weights * [1.0, 1e-2, 1e-4]
    solution = solve_logistic(as_matrix(X), rewards, weights)
    np.testing.assert_allclose(
        probabilities(X, solution), references(X, rewards, weights), atol=1e-4
    )


def test_the_start_decides_nothing():
    X, rewards, weights = tall_problem(2)
    far = Solution(np.full((N_FEATURES, 3), 50.0), np.array([-90.0, 0.0, 90.0]))
    from_far = solve_logistic(X, rewards, weights, start=far, tol=1e-8)
    from_zero = solve_logistic(X, rewards, weights, tol=1e-8)
    np.testing.assert_allclose(from_far.coef, from_zero.coef, atol=1e-4)
    np.testing.assert_array_equal(far.coef, 50.0)  # and it is left as it was


@pytest.mark.parametrize("size", [1e6, 1e39])
def test_a_start_out_of_range_is_recovered_from(size):
    X, rewards, weights = tall_problem(2)
    far = Solution(np.full((N_FEATURES, 3), size), np.zeros(3))
    found = probabilities(X, solve_logistic(X, rewards, weights, start=far))
    np.testing.assert_allclose(found, references(X, rewards, weights), atol=1e-3)


@pytest.mark.parametrize("n_steps", [1, 2])
def test_double_precision_finishes_what_single_precision_leaves(monkeypatch, n_steps):
    X, rewards, weights = tall_problem(3)
    monkeypatch.setattr("cbkit.oracles.solver.tall_problem._MAX_STEPS", n_steps)
    found = probabilities(X, solve_logistic(X, rewards, weights))
    np.testing.assert_allclose(found, references(X, rewards, weights), atol=1e-3)


def test_single_precision_gets_there_by_itself():
    X, rewards, weights = tall_problem(3)
    start = np.zeros((N_FEATURES + 1, 3))
    tol = np.full(3, 1e-6)
    point, inverse, done = tall.solve_tall(X, rewards, weights, start, tol, None)
    assert done
    np.testing.assert_array_equal(start, 0)
    found = probabilities(X, Solution(point[:-1], point[-1]))
    np.testing.assert_allclose(found, references(X, rewards, weights), atol=1e-4)
    again = tall.solve_tall(X, rewards, weights, point, tol, inverse)
    np.testing.assert_allclose(again[0], point, atol=1e-4)


def test_what_the_check_in_double_precision_refuses_is_not_done(monkeypatch):
    X, rewards, weights = tall_problem(3)
    monkeypatch.setattr("cbkit.oracles.solver.tall_problem._MAX_STEPS", 1)
    start = np.zeros((N_FEATURES + 1, 3))
    assert not tall.solve_tall(X, rewards, weights, start, np.full(3, 1e-6), None)[2]


def test_columns_of_a_block_add_up_as_those_of_the_whole(monkeypatch):
    # 2,500 rows are five parts, the last of them shorter
    X, rewards, weights = tall_problem(3)
    point = np.random.default_rng(0).normal(size=(N_FEATURES + 1, 3))
    logits = X @ point[:-1] + point[-1]
    probability = 1 / (1 + np.exp(-logits))
    residual = weights * (probability - rewards[:, None])
    curvature = weights * probability * (1 - probability)
    moves = X @ point[:-1] + point[-1]
    rows = np.column_stack([X, np.ones(N)])
    problem = TallProblem(X, rewards, weights, np.float64)
    found = problem.derivatives(point)
    np.testing.assert_allclose(found[0], logits)
    np.testing.assert_allclose(found[1], rows.T @ residual + np.vstack([point[:-1], np.zeros(3)]))
    np.testing.assert_allclose(found[2], curvature)
    product, moved = problem.times_hessian(point, curvature)
    np.testing.assert_allclose(moved, moves)
    expected = rows.T @ (curvature * moves) + np.vstack([point[:-1], np.zeros(3)])
    np.testing.assert_allclose(product, expected)
    mean = rows.T @ (rows * curvature.mean(axis=1, keepdims=True))
    np.testing.assert_allclose(problem.mean_hessian(curvature), mean)


def test_the_inverse_is_that_of_the_mean_hessian():
    # At zero all curvatures are 1/4; the intercept is not penalised
    X, rewards, _ = tall_problem(4)
    problem = TallProblem(X, rewards, np.ones((N, 2)), np.float64)
    inverse = SharedInverse(problem.mean_hessian(np.full((N, 2), 0.25)))
    rows = np.column_stack([X, np.ones(N)])
    hessian = rows.T @ rows / 4 + np.diag([1.0] * N_FEATURES + [0.0])
    np.testing.assert_allclose(inverse @ hessian, np.eye(N_FEATURES + 1), atol=1e-9)


def test_an_inverse_serves_until_the_curvature_grew_by_a_quarter():
    inverse = SharedInverse(np.diag([100.0, 100.0]))
    assert inverse.serves(125.0, 1)
    assert inverse.serves(80.0, 1)
    assert not inverse.serves(126.0, 1)
    assert not inverse.serves(79.0, 1)
    assert not inverse.serves(100.0, 2)


@pytest.mark.parametrize(
    ("hessian", "complaint"),
    [
        (np.diag([1.0, np.inf]), "finite"),
        (np.diag([1.0, 0.0]), "positive"),
        # the feature is 2000 plus something of variance 1: a quarter of a millionth is left of it
        (1e6 * np.array([[4e6 + 1, 2e3], [2e3, 1.0]]), "single precision"),
    ],
)
def test_hessians_beyond_single_precision_are_refused(hessian, complaint):
    with pytest.raises(np.linalg.LinAlgError, match=complaint):
        SharedInverse(hessian)


def test_an_inverse_too_rough_for_its_problem_is_not_handed_on():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 60)) @ rng.normal(size=(60, 60))
    rewards, weights = (rng.random(N) < 0.5).astype(float), rng.exponential(size=(N, 3))
    point, tol = np.zeros((61, 3)), np.full(3, 1e-6)
    problem = TallProblem(X, rewards, weights, np.float64)
    own = SharedInverse(problem.mean_hessian(0.25 * weights))
    rough = SharedInverse(own.curvature * np.eye(61))
    assert tall.solve_tall(X, rewards, weights, point, tol, own)[1] is own
    assert tall.solve_tall(X, rewards, weights, point, tol, rough)[1] is None


def half_without_weight(X, weights):
    """Give the first column no weight on the rows that have feature 0."""
    has = np.arange(len(X)) < len(X) // 2
    X[:, 0] = np.where(has, X[:, 0] + 1, 0.0)
    weights[has, 0] = 0.0


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("C", [1e2, 1e4])
@pytest.mark.parametrize("warm", [False, True])
def test_features_whose_rows_have_weight_in_other_columns_only_are_fitted_as_well(
    as_matrix, C, warm
):
    X, rewards, weights = tall_problem(9)
    full = solve_logistic(as_matrix(X), rewards, weights, C=C)
    half_without_weight(X, weights)
    start = Solution(full.coef + 0.05, full.intercept, inverse=full.inverse) if warm else None
    solution = solve_logistic(as_matrix(X), rewards, weights, C=C, start=start)
    expected = references(X, rewards, weights, C)
    np.testing.assert_allclose(probabilities(X, solution), expected, atol=1e-4)
    assert np.ptp(expected[:, 0]) > 0.1


@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_an_inverse_of_other_contexts_misleads_nobody(scale):
    X, rewards, weights = tall_problem(7)
    inverse = solve_logistic(X * scale, rewards, weights).inverse
    start = Solution(np.zeros((N_FEATURES, 3)), np.zeros(3), inverse=inverse)
    solution = solve_logistic(X, rewards, weights, start=start)
    np.testing.assert_allclose(
        probabilities(X, solution), references(X, rewards, weights), atol=1e-4
    )


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("size", "C"), [(30.0, 10.0), (100.0, 1.0), (1e3, 10.0)])
def test_oracle_fits_features_of_few_rows_that_resamples_leave_out(as_matrix, size, C):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1100, 20))
    X[:, :15] = 0.0
    for j in range(15):
        X[rng.choice(1100, 2, replace=False), j] = size
    rewards = (rng.random(1100) < 0.5).astype(float)
    resampling = Resampling(kind="poisson", n_resamples=5)
    oracle = LogisticOracle(C=C, resampling=resampling)
    rng, same_rng = np.random.default_rng(3), np.random.default_rng(3)
    for n in (1050, 1060, 1100):
        oracle.learn(0, as_matrix(X[:n]), rewards[:n], rng)
        weights = resampling.update(None, n, same_rng)
    expected = references(X, rewards, weights, C)
    np.testing.assert_allclose(oracle.score(as_matrix(X))[:, 0], expected, atol=1e-3)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_an_oracle_refitted_on_a_tall_history_forgets_where_it_started(kept, as_matrix):
    X, rewards, _ = tall_problem(5)
    resampling = Resampling(kind="gamma(1,1)", n_resamples=4, kept=kept)
    oracle = LogisticOracle(resampling=resampling)
    rng, same_rng = np.random.default_rng(0), np.random.default_rng(0)
    weights = None
    for n in (2100, 2200, N):
        oracle.learn(0, as_matrix(X[:n]), rewards[:n], rng)
        weights = resampling.update(weights if kept else None, n, same_rng)
    expected = references(X, rewards, weights)
    np.testing.assert_allclose(oracle.score(X)[:, 0], expected, atol=1e-3)
