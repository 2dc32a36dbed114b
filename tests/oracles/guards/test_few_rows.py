"""Claims about histories that are too small for a classifier."""

import re
import warnings

import numpy as np
import pytest
from classifier_cases import CASES, CLASSIFIERS, observations, planted
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    StackingClassifier,
)
from sklearn.feature_selection import VarianceThreshold
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from cbkit import Greedy, MABFirst, simulate
from cbkit.oracles.classifiers import ClassifierOracle
from cbkit.oracles.guards.few_rows import ConstantModel, fit_guarded, smoothed_share
from cbkit.oracles.guards.probabilities import positive_probability
from cbkit.oracles.resampling import Resampling


def fit(classifier, X, rewards, weights=None, seed=0, **keywords):
    return fit_guarded(classifier, X, rewards, weights, np.random.default_rng(seed), **keywords)


# One label


def test_smoothed_shares_by_hand():
    assert smoothed_share(0, 0) == 1 / 2
    assert smoothed_share(3, 3) == 4 / 5
    np.testing.assert_allclose(smoothed_share(np.array([0, 1]), np.array([1, 1])), [1 / 3, 2 / 3])


@pytest.mark.parametrize("name, container", CASES)
@pytest.mark.parametrize(
    "reward, weights, share",
    [
        (0, None, 1 / 5),
        (1, None, 4 / 5),
        (1, np.array([0.5, 0.0, 1.0]), 2.5 / 3.5),
        (0, np.zeros(3), 1 / 2),
    ],
)
def test_one_label_is_a_smoothed_constant_for_every_classifier(
    name, container, reward, weights, share
):
    X = container(np.ones((3, 2)))
    model = fit(CLASSIFIERS[name], X, np.full(3, reward), weights)
    np.testing.assert_allclose(positive_probability(model, X), share)


@pytest.mark.parametrize("name, container", CASES)
def test_weights_that_leave_one_label_do_the_same(name, container):
    X, rewards = observations()
    weights = 2.0 * rewards
    model = fit(CLASSIFIERS[name], container(X), rewards, weights)
    total = weights.sum()
    expected = (total + 1) / (total + 2)
    np.testing.assert_allclose(positive_probability(model, container(X)), expected)


def test_a_constant_model_has_both_columns():
    np.testing.assert_allclose(ConstantModel(0.3).predict_proba(np.ones((2, 5))), [[0.7, 0.3]] * 2)


# Fewer rows than a classifier needs

NEEDS_MORE = {
    "neighbours": KNeighborsClassifier(10),
    "neighbours in a pipeline": make_pipeline(VarianceThreshold(), KNeighborsClassifier(10)),
    "components": make_pipeline(PCA(4), LogisticRegression()),
    "folds": GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=StratifiedKFold(5)),
    "folds in a step": make_pipeline(
        VarianceThreshold(), CalibratedClassifierCV(LinearSVC(), cv=StratifiedKFold(4))
    ),
    "stacking": StackingClassifier([("tree", DecisionTreeClassifier())], cv=StratifiedKFold(5)),
    "validation set of SGD": SGDClassifier(loss="log_loss", early_stopping=True),
    "validation set of a network": MLPClassifier((2,), max_iter=3, early_stopping=True),
    "validation set of boosting": GradientBoostingClassifier(n_estimators=3, n_iter_no_change=2),
    "validation set of histograms": HistGradientBoostingClassifier(max_iter=3, early_stopping=True),
    "covariances": QuadraticDiscriminantAnalysis(),
}
needing = pytest.mark.parametrize("classifier", NEEDS_MORE.values(), ids=NEEDS_MORE)


@needing
@pytest.mark.filterwarnings("ignore")
def test_an_arm_predicts_its_smoothed_share_until_it_has_enough_rows(classifier):
    X, rewards = observations(200)
    oracle = ClassifierOracle(classifier=classifier)
    oracle.score(X[:50])
    oracle.learn(0, X[:3], rewards[:3], np.random.default_rng(0))  # one reward
    np.testing.assert_allclose(oracle.score(X)[:, 0], 2 / 5)
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    assert np.ptp(oracle.score(X)[:, 0]) > 0.01


@pytest.mark.filterwarnings("ignore")
def test_a_resample_of_too_few_rows_is_its_smoothed_share_and_refitted_at_the_next_chance():
    X, rewards = observations(100)
    resampling = Resampling(kind="poisson", n_resamples=20)
    classifier = make_pipeline(PCA(4), LogisticRegression())
    oracle = ClassifierOracle(classifier=classifier, resampling=resampling)
    oracle.score(X)
    oracle.learn(0, X[:6], rewards[:6], np.random.default_rng(0))
    weights = resampling.update(None, 6, np.random.default_rng(0))  # drawn before any seed
    too_few = (weights > 0).sum(axis=0) < 4
    both = (rewards[:6] @ weights > 0) & ((1 - rewards[:6]) @ weights > 0)
    scores = oracle.score(X)[:, 0]
    assert (too_few & both).any()
    share = (rewards[:6] @ weights + 1) / (weights.sum(axis=0) + 2)
    np.testing.assert_allclose(scores[:, too_few & both], np.tile(share[too_few & both], (100, 1)))
    assert (np.ptp(scores[:, ~too_few & both], axis=0) > 0).all()
    oracle.learn(0, X, rewards, np.random.default_rng(1))
    assert (np.ptp(oracle.score(X)[:, 0], axis=0) > 0.1).all()


@pytest.mark.parametrize("cv", [None, 5, 20])
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "make",
    [
        lambda cv: GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=cv),
        lambda cv: CalibratedClassifierCV(LinearSVC(), cv=cv),
        lambda cv: StackingClassifier([("tree", DecisionTreeClassifier())], cv=cv),
        lambda cv: make_pipeline(VarianceThreshold(), CalibratedClassifierCV(GaussianNB(), cv=cv)),
    ],
)
def test_folds_by_number_are_no_more_than_the_rows_of_the_rarer_label(make, cv):
    X, rewards = observations()
    model = fit(make(cv), X[:5], rewards[:5])  # two of label 1
    assert not isinstance(model, ConstantModel)
    assert np.isfinite(positive_probability(model, X)).all()


def test_a_given_calibration_splits_no_more_than_the_rarer_label_allows():
    X, rewards = observations()
    given = CalibratedClassifierCV(LinearSVC())
    assert fit(given, X, rewards).cv is None  # scikit-learn's five
    assert fit(given, X[:5], rewards[:5]).cv == 2
    model = fit(given, X[:3], np.array([0, 1, 0]))
    np.testing.assert_allclose(positive_probability(model, X), 2 / 5)
    assert given.cv is None


# Warnings and errors


def few_rows_warnings(policy, data, **keywords):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        simulate(policy, data, seed=0, n_rounds=120, refit_every=20, **keywords)
    return [str(w.message) for w in caught if "too few for" in str(w.message)]


@pytest.mark.parametrize(
    "classifier",
    [
        KNeighborsClassifier(10),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=StratifiedKFold(5)),
        SGDClassifier(loss="log_loss", early_stopping=True),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
def test_one_warning_names_arm_counts_and_the_prior_that_waits_for_enough(classifier):
    data = planted(150)
    start = MABFirst(a=3, b=7, m=2)
    (said,) = few_rows_warnings(Greedy(3, oracle=classifier, cold_start=start), data)
    name = type(classifier).__name__
    assert re.match(rf"arm \d, \d+ observations, \d+ rewards: too few for {name} \(", said)
    advised = re.search(r"cold_start=(MABFirst\(a=3, b=7, m=\d+\))", said)[1]
    assert few_rows_warnings(Greedy(3, oracle=classifier, cold_start=eval(advised)), data) == []


class Picky(ClassifierMixin, BaseEstimator):
    """Fails on any context whose first feature is above 1."""

    def fit(self, X, y):
        if X[:, 0].max() > 1:
            raise KeyError("a feature above 1")
        self.share_ = y.mean()
        return self

    def predict_proba(self, X):
        return np.tile([1 - self.share_, self.share_], (X.shape[0], 1))


@pytest.mark.parametrize("n", [4, 300])
def test_a_failure_that_more_rows_do_not_mend_is_an_error_with_arm_and_counts(n):
    X, rewards = observations(n)
    oracle = ClassifierOracle(classifier=Picky())
    oracle.score(X[:50] if n > 50 else np.tile(X, (5, 1)))
    bad = X.copy()
    bad[-1, 0] = 2
    message = rf"arm 7, {n} observations, {int(rewards.sum())} rewards: Picky failed \(.*above 1"
    with pytest.raises(ValueError, match=message) as caught:
        oracle.learn(7, bad, rewards, np.random.default_rng(0))
    assert isinstance(caught.value.__cause__, KeyError)


class Forgetful(Picky):
    """Predicts what is not a number for contexts whose first feature is above 1."""

    def predict_proba(self, X):
        return np.where(X[:, :1] > 1, np.nan, super().predict_proba(X))


def test_a_probability_that_is_no_number_is_an_error_with_arm_and_counts():
    X, rewards = observations()
    oracle = ClassifierOracle(classifier=Forgetful())
    oracle.learn(3, X, rewards, np.random.default_rng(0))
    message = r"arm 3, 60 observations, \d+ rewards: Forgetful failed \(.*probability nan"
    with pytest.raises(ValueError, match=message):
        oracle.score(np.full((2, 4), 2.0))
