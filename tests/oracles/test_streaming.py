"""Claims about the fast streaming oracle: scikit-learn's SGD, for all resamples at once."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit, logit
from sklearn.linear_model import SGDClassifier

from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle

CONTAINERS = (np.asarray, sparse.csr_array)


def observations(n, seed=0, n_features=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * (rng.random((n, n_features)) < 0.6)
    rewards = (rng.random(n) < expit(X[:, 0])).astype(float)
    rewards[:2] = 0, 1
    return X, rewards


def test_the_first_two_steps_by_hand():
    # alpha = 1: t0 = 1 and the rate is 1/(1 + t), so 1 and then 1/2; x = 1 both times, dense
    oracle = StreamingLogisticOracle(alpha=1.0)
    oracle.learn(0, np.array([[1.0], [1.0]]), np.array([1.0, 0.0]), np.random.default_rng(0))
    w = b = 0.5  # from a pull of 1 * (1 - sigmoid(0)); the second step halves w, then pulls back
    pull = -0.5 * expit(w + b)
    at_0, at_1 = logit(oracle.score(np.array([[0.0], [1.0]]))[:, 0, 0])
    assert at_0 == pytest.approx(b + pull) and at_1 - at_0 == pytest.approx(w / 2 + pull)


@pytest.mark.parametrize("container", CONTAINERS)
@settings(max_examples=20)
@given(
    seed=st.integers(0, 1000),
    alpha=st.sampled_from([1e-6, 1e-4, 1e-2, 1.0]),
    kind=st.sampled_from([None, "poisson", "gamma(1,1)", "gamma(2,2)", "uniform"]),
)
def test_equals_sgd_classifier_block_by_block(container, seed, alpha, kind):
    X, rewards = observations(40, seed)
    resampling = kind and Resampling(kind=kind, n_resamples=3)
    oracle = StreamingLogisticOracle(alpha=alpha, resampling=resampling)
    rng, same = np.random.default_rng(seed), np.random.default_rng(seed)
    models = [
        SGDClassifier(loss="log_loss", alpha=alpha, shuffle=False)
        for _ in range(oracle.n_resamples)
    ]
    for block in np.split(np.arange(40), [7, 8, 20]):
        oracle.learn(0, container(X[block]), rewards[block], rng)
        weights = np.ones((len(block), 1))
        if resampling:
            weights = resampling.update(None, len(block), same)
        for model, column in zip(models, weights.T, strict=True):
            rows = block[column > 0]
            if len(rows):
                model.partial_fit(
                    container(X[rows]), rewards[rows], [0, 1], sample_weight=column[column > 0]
                )
    # The small contexts show coefficients that scores of the others would hide by saturating.
    largest = max(np.abs([*model.coef_[0], *model.intercept_]).max() for model in models)
    probes = container(np.vstack([np.zeros(X.shape[1]), np.eye(X.shape[1]) / max(1.0, largest)]))
    for contexts in (probes, container(X)):
        scores = oracle.score(contexts)[:, 0]
        for resample, model in enumerate(models):
            expected = expit(model.decision_function(contexts))
            np.testing.assert_allclose(scores[:, resample], expected, atol=1e-10)


def test_an_arm_is_fitted_once_it_saw_both_rewards_and_never_unlearns():
    oracle, rng = StreamingLogisticOracle(), np.random.default_rng(0)
    X = np.array([[1.0, 0.0]])
    for rewards, fitted in [([1.0], []), ([1.0], []), ([0.0], [6]), ([1.0], [6])]:
        oracle.learn(6, X, np.array(rewards), rng)
        assert oracle.fitted_arms.tolist() == fitted
        assert oracle.score(X).shape == (1, len(fitted), 1)


def test_arms_do_not_touch_each_other_and_dropping_keeps_the_rest():
    X, rewards = observations(30)
    oracle, rng = StreamingLogisticOracle(), np.random.default_rng(0)
    for arm in (5, 0, 2):
        oracle.learn(arm, X[arm:20], rewards[arm:20], rng)
    alone = StreamingLogisticOracle()
    alone.learn(0, X[2:20], rewards[2:20], rng)
    oracle.drop_arm(0)
    oracle.drop_arm(3)  # never seen
    assert sorted(oracle.fitted_arms) == [1, 3]
    for each, arm in ((oracle, 1), (alone, 0)):
        each.learn(arm, X[20:], rewards[20:], rng)
    position = oracle.fitted_arms.tolist().index(1)
    np.testing.assert_allclose(oracle.score(X)[:, position], alone.score(X)[:, 0], atol=1e-12)


def test_a_pickled_oracle_goes_on_as_if_never_stopped():
    X, rewards = observations(30)
    oracle = StreamingLogisticOracle(resampling=Resampling(kind="gamma(1,1)"))
    oracle.learn(1, X[:10], rewards[:10], np.random.default_rng(0))
    again = pickle.loads(pickle.dumps(oracle))
    for each in (oracle, again):
        each.learn(1, X[10:], rewards[10:], np.random.default_rng(1))
    np.testing.assert_array_equal(oracle.score(X), again.score(X))


def test_the_same_seed_gives_the_same_scores_and_each_parameter_another():
    X, rewards = observations(30)

    def score(seed=0, kind="uniform", n_resamples=3, **parameters):
        resampling = Resampling(kind=kind, n_resamples=n_resamples)
        oracle = StreamingLogisticOracle(resampling=resampling, **parameters)
        oracle.learn(0, X, rewards, np.random.default_rng(seed))
        return oracle.score(X)[:, 0]

    np.testing.assert_array_equal(score(), score())
    for changed in (score(seed=1), score(kind="poisson"), score(alpha=0.1)):
        assert np.abs(changed - score()).max() > 1e-3
    assert score(n_resamples=5).shape == (30, 5)


@pytest.mark.parametrize("alpha", [0, -1, np.inf, np.nan])
def test_impossible_regularisation_is_refused(alpha):
    with pytest.raises(ValueError, match=rf"alpha must be .*, got {alpha}"):
        StreamingLogisticOracle(alpha=alpha)


def test_multinomial_resamples_are_refused():
    with pytest.raises(ValueError, match="need the whole history"):
        StreamingLogisticOracle(resampling=Resampling())
