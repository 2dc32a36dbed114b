"""Claims about the one place that deals with classifiers' differences."""

import numpy as np
import pytest
from classifier_cases import CASES, CLASSIFIERS, WITHOUT_WEIGHTS, observations
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from cbkit.oracles.guards.few_rows import fit_guarded
from cbkit.oracles.guards.fitting import partial_fit, seeded_clone, weights_parameter
from cbkit.oracles.guards.probabilities import positive_probability


def fit(classifier, X, rewards, weights=None, seed=0, **keywords):
    return fit_guarded(classifier, X, rewards, weights, np.random.default_rng(seed), **keywords)


@pytest.mark.parametrize("name, container", CASES)
def test_every_classifier_learns_and_stays_as_it_was_given(name, container):
    X, rewards = observations()
    given = clone(CLASSIFIERS[name])
    state = repr(given.get_params())
    model = fit(given, container(X), rewards, np.random.default_rng(0).poisson(1, 60).astype(float))
    probability = positive_probability(model, container(X))
    assert probability.shape == (60,) and probability.dtype == np.float64
    assert ((probability >= 0) & (probability <= 1)).all()
    assert probability[X[:, 0] == 1].mean() > probability[X[:, 0] == 0].mean() + 0.2
    assert repr(given.get_params()) == state and not hasattr(given, "classes_")


@pytest.mark.parametrize("name, container", CASES)
def test_the_generator_seeds_every_random_state_that_is_none(name, container):
    X, rewards = observations()
    first, again = (fit(CLASSIFIERS[name], container(X), rewards, seed=7) for _ in range(2))
    one, other = (positive_probability(model, container(X)) for model in (first, again))
    np.testing.assert_array_equal(one, other)


def test_nested_random_states_are_seeded_and_given_ones_kept():
    bagging = BaggingClassifier(DecisionTreeClassifier(), random_state=5)
    copy = seeded_clone(bagging, np.random.default_rng(0))
    assert copy.random_state == 5 and copy.estimator.random_state is not None
    assert bagging.estimator.random_state is None
    other = seeded_clone(bagging, np.random.default_rng(1))
    assert other.estimator.random_state != copy.estimator.random_state


# Weights


def test_classifiers_that_take_weights_are_told_apart():
    assert {n for n, c in CLASSIFIERS.items() if weights_parameter(c) is None} == WITHOUT_WEIGHTS


@pytest.mark.parametrize("name", ["logistic", "bernoulli", "tree", "scaled logistic"])
def test_whole_weights_equal_repeated_rows_for_those_that_take_weights(name):
    X, rewards = observations()
    X = X / X.max(axis=0)
    classifier = CLASSIFIERS[name]
    if name == "scaled logistic":  # a scaler that repeated rows leave as it is
        classifier = make_pipeline(MaxAbsScaler(), CLASSIFIERS["logistic"])
    if name == "tree":
        classifier = DecisionTreeClassifier(max_depth=1)
    counts = np.random.default_rng(0).integers(1, 4, 60)
    weighted = fit(classifier, X, rewards, counts.astype(float))
    rows = np.repeat(np.arange(60), counts)
    repeated = fit(classifier, X[rows], rewards[rows])
    np.testing.assert_allclose(
        positive_probability(weighted, X), positive_probability(repeated, X), atol=2e-3
    )


def test_rows_are_repeated_for_those_that_take_none():
    X, rewards = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    model = fit(KNeighborsClassifier(3), X, rewards, np.array([2.0, 1.0, 0.0]))
    # neighbours of 0.4: twice the first and once the second
    assert positive_probability(model, np.array([[0.4]]))[0] == pytest.approx(1 / 3)
    assert model.n_samples_fit_ == 3


# Calibration


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["svm", "scaled svm", "hinge", "ridge"])
def test_calibrated_margins_use_the_weights(name):
    X, rewards = observations()
    classifier = CLASSIFIERS[name]
    half = np.where(np.arange(60) < 30, 1.0, 1e-3)
    whole, part = (
        positive_probability(fit(classifier, X, rewards, weights, probability="calibrated"), X)
        for weights in (np.ones(60), half)
    )
    sigmoid = positive_probability(fit(classifier, X, rewards), X)
    assert np.abs(whole - sigmoid).max() > 0.01 and np.abs(whole - part).max() > 0.01
    assert whole[X[:, 0] == 1].mean() > whole[X[:, 0] == 0].mean() + 0.3


def test_calibration_leaves_classifiers_with_probabilities_alone():
    X, rewards = observations()
    model = fit(BernoulliNB(), X, rewards, probability="calibrated")
    assert isinstance(model, BernoulliNB)


def test_too_few_of_a_label_to_calibrate_is_a_sigmoid_meanwhile():
    X, rewards = np.array([[0.0], [0.1], [0.2], [1.0]]), np.array([0, 0, 0, 1])
    assert isinstance(fit(LinearSVC(), X, rewards, probability="calibrated"), LinearSVC)
    rewards = np.array([0, 0, 1, 1])
    model = fit(LinearSVC(), X, rewards, probability="calibrated")
    assert isinstance(model, CalibratedClassifierCV) and model.cv == 2


# Partial fits


def test_partial_fits_take_blocks_of_one_label_and_skip_zero_weights():
    X, rewards = observations()
    model, same = BernoulliNB(), BernoulliNB()
    weights = np.random.default_rng(0).poisson(1, 60).astype(float)
    for label in (0, 1):
        rows = np.flatnonzero(rewards == label)
        partial_fit(model, X[rows], rewards[rows], weights[rows])
        same.partial_fit(X[rows], rewards[rows], [0, 1], sample_weight=weights[rows])
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))
    fresh = SGDClassifier()
    partial_fit(fresh, X, rewards, np.zeros(60))
    assert not hasattr(fresh, "coef_")


def test_partial_fits_repeat_rows_where_weights_are_not_taken():
    class Counter(Perceptron):
        def fit(self, X, y):
            raise AssertionError

        def partial_fit(self, X, y, classes):
            self.rows = X[:, 0].tolist()

    model = Counter()
    partial_fit(model, np.arange(3.0)[:, None], np.array([0, 1, 1]), np.array([2.0, 0.0, 1.0]))
    assert model.rows == [0, 0, 2]
