"""Claims about the fast oracle: scikit-learn's fits, per arm and resample, at any refit."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.resampling import Resampling

CONTAINERS = (np.asarray, sparse.csr_array)
KEPT = Resampling(kind="gamma(1,1)", n_resamples=4, kept=True)


def observations(n, n_features=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.7, (n, n_features)).astype(float)
    rewards = (rng.random(n) < 0.3 + 0.1 * X[:, 0]).astype(float)
    rewards[:2] = 0, 1
    return X, rewards


def expected_rewards(X, rewards, new, weights=None, C=1.0):
    model = LogisticRegression(C=C, tol=1e-8, solver="newton-cholesky", max_iter=1000)
    return model.fit(X, rewards, sample_weight=weights).predict_proba(new)[:, 1]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("n_features", [6, 200], ids=["features", "observations"])
@settings(max_examples=15)
@given(seed=st.integers(0, 1000), C=st.sampled_from([0.1, 1.0, 10.0]))
def test_refits_on_a_growing_history_equal_scikit_learn_on_all_of_it(
    container, n_features, seed, C
):
    X, rewards = observations(40, n_features, seed)
    oracle, rng = LogisticOracle(C=C), np.random.default_rng(0)
    for n in (2, 5, 6, 20, 40):
        oracle.learn(3, container(X[:n]), rewards[:n], rng)
        found = oracle.score(container(X))[:, 0, 0]
        expected = expected_rewards(X[:n], rewards[:n], X, C=C)
        np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize("n_features", [30, 320], ids=["features", "observations"])
def test_refits_on_hundreds_of_observations_equal_scikit_learn(n_features):
    X, rewards = observations(330, n_features)  # 330 are too many for the space of observations
    oracle, rng = LogisticOracle(), np.random.default_rng(0)
    for n in (60, 90, 91, 200, 210, 320, 330):
        oracle.learn(0, sparse.csr_array(X[:n]), rewards[:n], rng)
        expected = expected_rewards(X[:n], rewards[:n], X)
        np.testing.assert_allclose(oracle.score(X)[:, 0, 0], expected, atol=1e-3)


@pytest.mark.parametrize("n_features", [6, 200], ids=["features", "observations"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_each_resample_is_a_weighted_fit(container, n_features):
    X, rewards = observations(40, n_features)
    oracle, rng = LogisticOracle(resampling=KEPT), np.random.default_rng(1)
    weights, same = None, np.random.default_rng(1)
    for n in (10, 25, 40):
        oracle.learn(0, container(X[:n]), rewards[:n], rng)
        weights = KEPT.update(weights, n, same)
    scores = oracle.score(container(X))[:, 0]
    for resample in range(4):
        expected = expected_rewards(X, rewards, X, weights[:, resample])
        np.testing.assert_allclose(scores[:, resample], expected, atol=1e-3)


def test_fresh_resamples_are_those_of_the_last_refit_alone():
    X, rewards = observations(30)
    resampling = Resampling(n_resamples=3)
    often, once = (LogisticOracle(resampling=resampling, tol=1e-9) for _ in range(2))
    often.learn(0, X[:10], rewards[:10], np.random.default_rng(5))
    for oracle in (often, once):
        oracle.learn(0, X, rewards, np.random.default_rng(6))
    np.testing.assert_allclose(often.score(X), once.score(X), atol=1e-4)


def test_growing_past_the_observations_space_changes_nothing(monkeypatch):
    X, rewards = observations(40, 200)
    scores = []
    for limit in (600, 15, 0):  # never, midway, always in the space of features
        monkeypatch.setattr("cbkit.oracles.logistic._MAX_GRAM", limit)
        oracle = LogisticOracle(resampling=KEPT)
        rng = np.random.default_rng(0)
        for n in (5, 12, 25, 40):
            oracle.learn(0, X[:n], rewards[:n], rng)
        scores.append(oracle.score(X))
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-3)
    np.testing.assert_allclose(scores[0], scores[2], atol=1e-3)


@pytest.mark.parametrize("C", [0.03, 0.1, 1.0])
def test_a_refit_from_near_by_ends_as_near_the_optimum_as_a_first_fit(C):
    # a start whose intercept alone is off: little to gain, but probabilities depend on it
    X, rewards = np.eye(9, 18), np.repeat([1.0, 0.0], [2, 7])
    oracle, rng = LogisticOracle(C=C), np.random.default_rng(0)
    oracle.learn(0, X[:8], rewards[:8], rng)
    oracle.learn(0, X, rewards, rng)
    expected = expected_rewards(X, rewards, X, C=C)
    np.testing.assert_allclose(oracle.score(X)[:, 0, 0], expected, atol=5e-4)


# One label


@pytest.mark.parametrize("reward, share", [(0.0, 1 / 5), (1.0, 4 / 5)])
@pytest.mark.parametrize("n_features", [2, 50])
def test_a_history_of_one_label_predicts_its_smoothed_share(reward, share, n_features):
    oracle = LogisticOracle()
    X = np.ones((3, n_features))
    oracle.learn(0, X, np.full(3, reward), np.random.default_rng(0))
    np.testing.assert_allclose(oracle.score(X), share)
    X2, rewards = np.vstack([X, 0 * X]), np.r_[np.full(3, reward), np.full(3, 1 - reward)]
    oracle.learn(0, X2, rewards, np.random.default_rng(0))
    expected = expected_rewards(X2, rewards, X2)
    np.testing.assert_allclose(oracle.score(X2)[:, 0, 0], expected, atol=1e-3)


@given(st.integers(0, 10_000))
def test_a_resample_of_one_label_is_a_constant_until_a_refit_gives_it_both(seed):
    X, rewards = observations(4)
    resampling = Resampling(kind="poisson", n_resamples=6, kept=True)
    weights = resampling.update(None, 4, np.random.default_rng(seed))
    positive, total = rewards @ weights, weights.sum(axis=0)
    one_label = (positive == 0) | (positive == total)
    assume(one_label.any())
    oracle, rng = LogisticOracle(resampling=resampling), np.random.default_rng(seed)
    oracle.learn(0, X, rewards, rng)
    scores = oracle.score(X)[:, 0]
    smoothed = (positive + 1) / (total + 2)
    np.testing.assert_allclose(scores[:, one_label], np.tile(smoothed[one_label], (4, 1)))
    X, rewards = observations(40)
    oracle.learn(0, X, rewards, rng)
    assert (oracle.score(X)[:, 0].std(axis=0) > 1e-3).all()


# State


def test_the_same_seed_gives_the_same_scores():
    X, rewards = observations(20)
    scores = []
    for seed in (0, 0, 1):
        oracle = LogisticOracle(resampling=Resampling())
        oracle.learn(0, X, rewards, np.random.default_rng(seed))
        scores.append(oracle.score(X))
    np.testing.assert_array_equal(scores[0], scores[1])
    assert np.abs(scores[0] - scores[2]).max() > 0.01


@pytest.mark.parametrize("n_features", [6, 200])
def test_a_pickled_oracle_goes_on_as_if_never_stopped(n_features):
    X, rewards = observations(30, n_features)
    oracle = LogisticOracle(resampling=KEPT)
    oracle.learn(2, X[:10], rewards[:10], np.random.default_rng(0))
    again = pickle.loads(pickle.dumps(oracle))
    for each in (oracle, again):
        each.learn(2, X, rewards, np.random.default_rng(1))
    np.testing.assert_array_equal(oracle.score(X), again.score(X))


def test_dropping_an_arm_keeps_scores_weights_and_starts_of_the_others():
    X, rewards = observations(30, 200)
    oracle = LogisticOracle(resampling=KEPT)
    rng = np.random.default_rng(0)
    for arm in (4, 1, 7):
        oracle.learn(arm, X[arm : arm + 12], rewards[arm : arm + 12], rng)
    before = dict(zip(oracle.fitted_arms.tolist(), oracle.score(X).swapaxes(0, 1), strict=True))
    weights = oracle._arms[7].weights
    oracle.drop_arm(4)
    oracle.drop_arm(0)  # never fitted
    after = dict(zip(oracle.fitted_arms.tolist(), oracle.score(X).swapaxes(0, 1), strict=True))
    assert sorted(after) == [0, 5]
    np.testing.assert_allclose(after[0], before[1], atol=1e-12)
    np.testing.assert_allclose(after[5], before[7], atol=1e-12)
    assert oracle._arms[5].weights is weights


def test_coefficients_of_fitted_arms_alone_are_held():
    oracle = LogisticOracle(resampling=Resampling())
    X, rewards = observations(4, 5000)
    for arm in (17, 3955):
        oracle.learn(arm, sparse.csr_array(X), rewards, np.random.default_rng(0))
    held = sum(chunk.nbytes for chunk in oracle.coefficients_._chunks)
    assert held <= 64 * 5000 * 10 * 8  # one chunk, where 3,956 arms would take 1.6 GB
    assert len(pickle.dumps(oracle)) < 1.1 * held


# Parameters


def scores_of(**parameters):
    X, rewards = observations(20)
    oracle = LogisticOracle(**parameters)
    for n in (10, 20):
        oracle.learn(0, X[:n], rewards[:n], np.random.default_rng(n))
    return oracle.score(X)[:, 0]


@pytest.mark.parametrize(
    "parameters",
    [
        {"C": 0.1},
        {"tol": 1e4},
        {"resampling": Resampling()},
        {"resampling": Resampling(kind="uniform")},
        {"resampling": Resampling(kind="gamma(2,2)")},
    ],
    ids=str,
)
def test_each_parameter_has_an_effect(parameters):
    changed, unchanged = scores_of(**parameters), scores_of()
    assert changed.shape[1] == (10 if "resampling" in parameters else 1)
    assert np.abs(changed.mean(axis=1) - unchanged[:, 0]).max() > 1e-3


def test_keeping_weights_and_their_number_have_an_effect():
    fresh, kept, fewer = (
        scores_of(resampling=Resampling(kind="uniform", **more))
        for more in ({}, {"kept": True}, {"n_resamples": 4})
    )
    assert np.abs(fresh - kept).max() > 1e-3
    assert fewer.shape[1] == 4


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"C": 0}, "C must be greater than 0, got 0"),
        ({"C": "1"}, "C must be a finite number, got '1'"),
        ({"C": np.inf}, "C must be"),
        ({"C": np.nan}, "C must be"),
        ({"tol": 0.0}, "tol must be greater than 0, got 0.0"),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        LogisticOracle(**parameters)
