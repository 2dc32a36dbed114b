"""Claims about any classifier as reward oracle, refit or streaming."""

import pickle

import numpy as np
import pytest
from classifier_cases import CASES, CLASSIFIERS, WITHOUT_WEIGHTS, observations
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from cbkit import OnlineBootstrappedUCB
from cbkit.oracles.classifiers import ClassifierOracle, StreamingOracle
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.resampling import Resampling
from cbkit.oracles.streaming import StreamingLogisticOracle

STREAMING = [SGDClassifier(), SGDClassifier(loss="log_loss"), BernoulliNB(), Perceptron()]
WAYS = [
    *(lambda r, c=c: ClassifierOracle(classifier=c, resampling=r) for c in CLASSIFIERS.values()),
    *(lambda r, c=c: StreamingOracle(classifier=c, resampling=r) for c in STREAMING),
    lambda r: LogisticOracle(resampling=r),
    lambda r: StreamingLogisticOracle(resampling=r),
]
every_oracle = pytest.mark.parametrize(
    "make", WAYS, ids=[*CLASSIFIERS, *map(str, STREAMING), "fast", "fast streaming"]
)
POISSON = Resampling(kind="poisson", n_resamples=3)


def taught(oracle, arms, container=np.asarray):
    """Teach `arms` different parts of the same observations."""
    X, rewards = observations()
    for arm in arms:
        rows = slice(arm, arm + 30)
        oracle.learn(arm, container(X[rows]), rewards[rows], np.random.default_rng(arm))
    return oracle


def by_arm(oracle, X):
    return dict(zip(oracle.fitted_arms.tolist(), oracle.score(X).swapaxes(0, 1), strict=True))


# Every oracle


@every_oracle
def test_only_the_given_arms_are_fitted_and_scores_follow_their_order(make):
    oracle = make(POISSON)
    assert oracle.fitted_arms.tolist() == [] and oracle.fitted_arms.dtype == np.int64
    taught(oracle, [5, 2])
    X, _ = observations()
    assert oracle.score(X).shape == (60, 2, 3)
    scores = by_arm(oracle, X)
    for arm in (2, 5):
        alone = by_arm(taught(make(POISSON), [arm]), X)
        np.testing.assert_allclose(scores[arm], alone[arm], atol=1e-12)
        assert np.isfinite(scores[arm]).all()


@every_oracle
def test_dropping_an_arm_keeps_every_other_arms_scores(make):
    X, _ = observations()
    oracle = taught(make(POISSON), [4, 0, 7])
    before = by_arm(oracle, X)
    oracle.drop_arm(0)
    oracle.drop_arm(1)  # never fitted
    after = by_arm(oracle, X)
    assert sorted(after) == [2, 5]
    np.testing.assert_allclose(after[2], before[4], atol=1e-12)
    np.testing.assert_allclose(after[5], before[7], atol=1e-12)
    again = by_arm(taught(oracle, [5]), X)
    np.testing.assert_allclose(again[2], before[4], atol=1e-12)


@every_oracle
def test_a_pickled_oracle_goes_on_as_if_never_stopped(make):
    X, _ = observations()
    oracle = taught(make(POISSON), [1])
    again = pickle.loads(pickle.dumps(oracle))
    for each in (oracle, again):
        taught(each, [1, 3])
    np.testing.assert_array_equal(oracle.score(X), again.score(X))


@every_oracle
def test_the_same_seed_gives_the_same_scores_and_another_does_not(make):
    X, rewards = observations()
    scores = []
    for seed in (0, 0, 1):
        oracle = make(POISSON)
        oracle.learn(0, X, rewards, np.random.default_rng(seed))
        scores.append(oracle.score(X))
    np.testing.assert_array_equal(scores[0], scores[1])
    assert (scores[0] != scores[2]).any()


# Refits


@pytest.mark.parametrize("name, container", CASES)
@pytest.mark.parametrize("resampling", [None, POISSON, Resampling(n_resamples=3)], ids=str)
def test_every_classifier_scores_rewarding_contexts_higher(name, container, resampling):
    X, rewards = observations()
    oracle = ClassifierOracle(classifier=CLASSIFIERS[name], resampling=resampling)
    oracle.learn(0, container(X), rewards, np.random.default_rng(0))
    scores = oracle.score(container(X))
    assert scores.shape == (60, 1, 3 if resampling else 1)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert np.median(scores[X[:, 0] == 1]) > np.median(scores[X[:, 0] == 0])


@pytest.mark.parametrize("name", sorted(set(CLASSIFIERS) - WITHOUT_WEIGHTS))
def test_fractional_weights_reach_the_classifier(name):
    gamma = Resampling(kind="gamma(1,1)", n_resamples=2)
    oracle = taught(ClassifierOracle(classifier=CLASSIFIERS[name], resampling=gamma), [0])
    X, _ = observations()
    assert (oracle.score(X)[:, 0, 0] != oracle.score(X)[:, 0, 1]).any()


@pytest.mark.parametrize("name", sorted(WITHOUT_WEIGHTS))
def test_fractional_weights_are_refused_where_none_are_taken(name):
    with pytest.raises(ValueError, match="takes no sample weights, which gamma"):
        OnlineBootstrappedUCB(3, oracle=CLASSIFIERS[name])


def test_resamples_are_weighted_fits_with_kept_or_fresh_weights():
    X, rewards = observations()
    classifier = LogisticRegression(random_state=0)
    for kept in (False, True):
        resampling = Resampling(kind="gamma(1,1)", n_resamples=2, kept=kept)
        oracle = ClassifierOracle(classifier=classifier, resampling=resampling)
        rng, same = np.random.default_rng(0), np.random.default_rng(0)
        weights = None
        for n in (20, 60):
            oracle.learn(0, X[:n], rewards[:n], rng)
            weights = resampling.update(weights, n, same)
        for resample in range(2):
            model = clone(classifier).fit(X, rewards, sample_weight=weights[:, resample])
            np.testing.assert_allclose(
                oracle.score(X)[:, 0, resample], model.predict_proba(X)[:, 1], atol=1e-6
            )


def test_one_label_is_a_constant_until_the_next_refit():
    X, rewards = observations()
    oracle = ClassifierOracle(classifier=DecisionTreeClassifier())
    oracle.learn(0, X[:3], np.ones(3), np.random.default_rng(0))
    np.testing.assert_allclose(oracle.score(X), 4 / 5)
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    assert oracle.score(X).std() > 0.1


def test_a_resample_of_one_label_is_a_constant_and_the_others_are_not():
    X, rewards = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    resampling = Resampling(kind="poisson", n_resamples=20)
    oracle = ClassifierOracle(classifier=DecisionTreeClassifier(), resampling=resampling)
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    weights = resampling.update(None, 4, np.random.default_rng(0))  # drawn before any seed
    one_label = weights[3] == 0
    assert 0 < one_label.sum() < 20
    scores = oracle.score(X)[:, 0]
    is_constant = one_label | (weights[:3].sum(axis=0) == 0)
    np.testing.assert_array_equal(np.ptp(scores, axis=0) == 0, is_constant)
    constants = 1 / (weights[:, one_label].sum(axis=0) + 2)
    np.testing.assert_allclose(scores[0, one_label], constants)


def test_classifier_and_probability_have_an_effect():
    X, _ = observations()
    scores = [
        taught(ClassifierOracle(classifier=classifier, probability=way), [0]).score(X)
        for classifier in (LinearSVC(random_state=0), LinearSVC(C=0.01, random_state=0))
        for way in ("sigmoid", "calibrated")
    ]
    for i in range(4):
        for j in range(i):
            assert np.abs(scores[i] - scores[j]).max() > 1e-3


class Plain:
    """Fits, but is no scikit-learn estimator."""

    def fit(self, X, y):
        return self


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"classifier": BernoulliNB(), "probability": "softmax"}, "sigmoid or calibrated, got 's"),
        ({"classifier": 3}, "classifier must have a fit method, got 3"),
        ({"classifier": Plain()}, r"copy; write class Plain\(sklearn.base.BaseEstimator\)"),
        ({"classifier": BernoulliNB}, r"must be an instance; write BernoulliNB\(\.\.\.\)"),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        ClassifierOracle(**parameters)
