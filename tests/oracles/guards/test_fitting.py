"""Claims about fits of any classifier: copies, seeds, weights, folds and containers."""

import numpy as np
import pytest
from classifier_cases import CASES, CLASSIFIERS, observations, planted
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from cbkit import Greedy, simulate
from cbkit.oracles.classifiers import ClassifierOracle, StreamingOracle
from cbkit.oracles.guards.few_rows import fit_guarded
from cbkit.oracles.guards.fitting import (
    for_classifiers,
    partial_fit,
    seeded_clone,
)
from cbkit.oracles.guards.probabilities import positive_probability
from cbkit.oracles.resampling import Resampling


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


# Containers


class Recorder(ClassifierMixin, BaseEstimator):
    """Fails on what some libraries fail on, whatever method gets it."""

    def _check(self, X):
        if sparse.issparse(X):
            assert isinstance(X, sparse.csr_matrix)
            assert X.indices.dtype == X.indptr.dtype == np.int32
        else:
            assert type(X) is np.ndarray and X.flags.c_contiguous
        assert X.dtype == np.float64

    def fit(self, X, y, sample_weight=None):
        self._check(X)
        assert y.dtype.kind == "i" and set(y.tolist()) == {0, 1}
        return self

    def partial_fit(self, X, y, classes, sample_weight=None):
        self._check(X)
        assert set(y.tolist()) <= {0, 1}

    def predict_proba(self, X):
        self._check(X)
        return np.full((X.shape[0], 2), 0.5)


def with_long_indices(X):
    X = sparse.csr_array(X)
    parts = X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return sparse.csr_array(parts, shape=X.shape)


@pytest.mark.parametrize(
    "container", [np.asfortranarray, np.asarray, sparse.csr_array, with_long_indices]
)
@pytest.mark.parametrize("resampling", [None, Resampling(kind="poisson", n_resamples=2)], ids=str)
@pytest.mark.parametrize("make", [ClassifierOracle, StreamingOracle])
def test_classifiers_get_matrices_of_short_indices_or_rows_of_doubles(make, resampling, container):
    X, rewards = observations()
    oracle = make(classifier=Recorder(), resampling=resampling)
    for _ in range(2):
        assert oracle.score(container(X)).shape[0] == 60
        oracle.learn(0, container(X), rewards, np.random.default_rng(0))


def test_contexts_that_are_as_they_should_be_are_not_copied():
    X, _ = observations()
    assert for_classifiers(X) is X
    stored = sparse.csr_array(X)
    assert np.shares_memory(for_classifiers(stored).data, stored.data)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("is_global", [True, False])
def test_pipelines_that_pass_data_frames_between_steps_play(is_global):
    pandas = make_pipeline(StandardScaler(), LogisticRegression())
    with config_context(transform_output="pandas" if is_global else "default"):
        given = clone(pandas) if is_global else clone(pandas).set_output(transform="pandas")
        one = simulate(Greedy(3, oracle=given), planted(), seed=0)
    other = simulate(Greedy(3, oracle=pandas), planted(), seed=0)
    np.testing.assert_array_equal(one.rounds["arm"], other.rounds["arm"])


def test_steps_that_need_names_of_columns_are_refused_before_the_first_round():
    by_name = ColumnTransformer([("scaled", StandardScaler(), ["age"])])
    policy = Greedy(3, oracle=make_pipeline(by_name, LogisticRegression()))
    with pytest.raises(ValueError, match=r"Pipeline cannot learn .*only supported for dataframes"):
        simulate(policy, planted(), seed=0)
