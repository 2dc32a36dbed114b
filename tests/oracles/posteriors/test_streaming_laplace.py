"""Claims about the streaming oracle that keeps up: as good as full refits, at a bounded cost."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from cbkit.oracles.posteriors.laplace import LaplaceOracle
from cbkit.oracles.posteriors.streaming_laplace import StreamingLaplaceOracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle

POISSON = Resampling(kind="poisson", n_resamples=3)


def observations(n, seed=0, n_features=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.5)
    rewards = (rng.random(n) < expit(X @ np.linspace(-1, 1.5, n_features) - 1)).astype(float)
    rewards[:2] = 0, 1
    return X, rewards


def taught(oracle, X, rewards, block=20, container=np.asarray, arm=0):
    rng = np.random.default_rng(0)
    for start in range(0, len(rewards), block):
        oracle.learn(arm, container(X[start : start + block]), rewards[start : start + block], rng)
    return oracle


def log_loss(chance, rewards):
    return -np.mean(rewards * np.log(chance) + (1 - rewards) * np.log(1 - chance))


def test_up_to_twice_its_window_it_is_a_full_refit():
    X, rewards = observations(100)
    oracle = taught(StreamingLaplaceOracle(window=50), X, rewards)
    full = LogisticRegression().fit(X, rewards).predict_proba(X)[:, 1]
    np.testing.assert_allclose(oracle.score(X)[:, 0, 0], full, atol=5e-3)


@pytest.mark.statistical
@pytest.mark.parametrize("window", [0, 20, 50])
def test_after_thousands_of_rows_it_predicts_about_as_a_full_refit_and_sgd_does_not(window):
    X, rewards = observations(3000)
    seen, fresh = slice(2000), slice(2000, None)
    full = LogisticRegression().fit(X[seen], rewards[seen])
    best = log_loss(full.predict_proba(X[fresh])[:, 1], rewards[fresh])
    losses = [
        log_loss(taught(oracle, X[seen], rewards[seen]).score(X[fresh])[:, 0, 0], rewards[fresh])
        for oracle in (StreamingLaplaceOracle(window=window), StreamingLogisticOracle())
    ]
    assert losses[0] < best + 0.01 < losses[1]


def test_its_memory_does_not_grow_with_the_rows():
    X, rewards = observations(3000)
    oracle, sizes = StreamingLaplaceOracle(), []
    for start in range(0, 3000, 500):
        taught(oracle, X[start : start + 500], rewards[start : start + 500])
        sizes.append(len(pickle.dumps(oracle)))
    assert max(sizes[2:]) < 1.1 * max(sizes[:2])


def test_an_arm_that_was_never_rewarded_keeps_few_rows_too():
    X, _ = observations(3000)
    early, late = (taught(StreamingLaplaceOracle(), X[:n], np.zeros(n)) for n in (500, 3000))
    assert len(pickle.dumps(late)) < 1.5 * len(pickle.dumps(early))
    assert late.fitted_arms.tolist() == []


@pytest.mark.parametrize("resampling", [None, POISSON])
@pytest.mark.parametrize("window", [0, 10])
def test_sparse_and_dense_contexts_teach_the_same(window, resampling):
    X, rewards = observations(120)
    one, other = (
        taught(
            StreamingLaplaceOracle(window=window, resampling=resampling),
            X,
            rewards,
            container=container,
        ).score(container(X))
        for container in (np.asarray, sparse.csr_array)
    )
    assert one.shape == (120, 1, resampling.n_resamples if resampling else 1)
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_long_block_is_learned_in_parts():
    X, rewards = observations(350)
    one = taught(StreamingLaplaceOracle(), X, rewards, block=350).score(X)
    other = taught(StreamingLaplaceOracle(), X, rewards, block=100).score(X)
    np.testing.assert_array_equal(one, other)


def test_each_resample_is_a_regression_with_its_own_weights():
    X, rewards = observations(60)
    oracle = StreamingLaplaceOracle(resampling=POISSON)
    oracle.learn(0, X, rewards, np.random.default_rng(3))
    weights = POISSON.update(None, 60, np.random.default_rng(3))
    for resample, column in enumerate(weights.T):
        full = LogisticRegression().fit(X, rewards, sample_weight=column)
        expected = full.predict_proba(X)[:, 1]
        np.testing.assert_allclose(oracle.score(X)[:, 0, resample], expected, atol=1e-2)


def test_its_spread_narrows_with_rows_and_is_near_that_of_full_refits():
    X, rewards = observations(400)
    deviations = []
    for n in (50, 400):
        streamed = taught(StreamingLaplaceOracle(posterior=True), X[:n], rewards[:n]).score(X)
        full = LaplaceOracle()
        full.learn(0, X[:n], rewards[:n], np.random.default_rng(0))
        both = [np.diff(logit(s[:, 0]), axis=1)[:, 0] for s in (streamed, full.score(X))]
        # the diagonal leaves out how features go together: the same size, not the same number
        assert 0.5 < both[0].mean() / both[1].mean() < 1.5
        deviations.append(both[0])
    assert (deviations[1] < deviations[0]).all()


def test_dropping_an_arm_moves_those_after_it_down():
    X, rewards = observations(60)
    oracle = StreamingLaplaceOracle(posterior=True, window=5)
    for arm in (0, 1, 2):
        taught(oracle, X[20 * arm :], rewards[20 * arm :], arm=arm)
    before = oracle.score(X)
    kept = [oracle.fitted_arms.tolist().index(arm) for arm in (0, 2)]
    oracle.drop_arm(1)
    now = [oracle.fitted_arms.tolist().index(arm) for arm in (0, 1)]
    np.testing.assert_array_equal(oracle.score(X)[:, now], before[:, kept])
    taught(oracle, X, rewards, arm=1)
    assert (oracle.score(X)[:, now[1]] != before[:, kept[1]]).any()


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"C": 0}, "C must be greater than 0, got 0"),
        ({"window": -1}, "window"),
        ({"resampling": Resampling()}, "multinomial resamples need the whole history"),
        ({"posterior": True, "resampling": POISSON}, "takes the place of resamples"),
    ],
)
def test_what_it_cannot_do_is_refused(keywords, message):
    with pytest.raises(ValueError, match=message):
        StreamingLaplaceOracle(**keywords)


def test_a_larger_C_fits_closer():
    X, rewards = observations(60)
    loose, tight = (
        log_loss(taught(StreamingLaplaceOracle(C=C), X, rewards).score(X)[:, 0, 0], rewards)
        for C in (10.0, 0.01)
    )
    assert loose < tight
