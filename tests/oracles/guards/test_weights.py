"""Claims about sample weights: who takes them, and repeated rows for the others."""

import numpy as np
import pytest
from classifier_cases import CLASSIFIERS, WITHOUT_WEIGHTS, observations
from sklearn import config_context, get_config
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from cbkit.oracles.classifiers import ClassifierOracle
from cbkit.oracles.guards.few_rows import fit_guarded
from cbkit.oracles.guards.fitting import (
    partial_fit,
)
from cbkit.oracles.guards.probabilities import positive_probability
from cbkit.oracles.guards.weights import weights_parameter
from cbkit.oracles.resampling import Resampling


def fit(classifier, X, rewards, weights=None, seed=0, **keywords):
    return fit_guarded(classifier, X, rewards, weights, np.random.default_rng(seed), **keywords)


def test_classifiers_that_take_weights_are_told_apart():
    found = {name for name, given in CLASSIFIERS.items() if weights_parameter(given) is None}
    assert found == WITHOUT_WEIGHTS


class InKeywords(BernoulliNB):
    """Takes weights without saying so, and would drop others without a word."""

    def fit(self, X, y, **keywords):
        assert not keywords
        return super().fit(X, y)


@pytest.mark.parametrize(
    "classifier, expected",
    [
        (make_pipeline(MaxAbsScaler(), BernoulliNB()), "bernoullinb__sample_weight"),
        (
            make_pipeline(MaxAbsScaler(), make_pipeline(MaxAbsScaler(), BernoulliNB())),
            "pipeline__bernoullinb__sample_weight",
        ),
        (InKeywords(), None),
        (GridSearchCV(BernoulliNB(), {}), None),
        (CalibratedClassifierCV(KNeighborsClassifier()), None),
        (CalibratedClassifierCV(make_pipeline(MaxAbsScaler(), LinearSVC())), None),
        (BaggingClassifier(KNeighborsClassifier()), None),
        (BaggingClassifier(DecisionTreeClassifier()), "sample_weight"),
        (
            VotingClassifier([("a", BernoulliNB()), ("b", KNeighborsClassifier())], voting="soft"),
            None,
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrapped_classifiers_take_weights_if_all_inside_do_and_else_repeat_rows(
    classifier, expected
):
    assert weights_parameter(classifier) == expected
    X, rewards = observations()
    counts = np.random.default_rng(0).integers(1, 3, 60)
    model = fit(classifier, X, rewards, counts.astype(float))
    assert positive_probability(model, X).shape == (60,)


@pytest.mark.parametrize("sampler", ["over_sampling.SMOTE", "under_sampling.RandomUnderSampler"])
def test_pipelines_that_draw_other_rows_take_no_weights(sampler):
    module, name = sampler.split(".")
    sampler = getattr(pytest.importorskip(f"imblearn.{module}"), name)()
    pipeline = pytest.importorskip("imblearn.pipeline").make_pipeline(sampler, BernoulliNB())
    assert weights_parameter(pipeline) is None
    X, rewards = observations()
    assert fit(pipeline, X, rewards, np.full(60, 2.0)).classes_.tolist() == [0, 1]


def test_weights_of_partial_fits_are_those_that_partial_fit_takes():
    assert weights_parameter(SGDClassifier(), "partial_fit") == "sample_weight"

    class InFitAlone(BernoulliNB):
        def partial_fit(self, X, y, classes=None):
            return super().partial_fit(X, y, classes)

    assert weights_parameter(InFitAlone(), "partial_fit") is None
    X, rewards = observations()
    model, same = InFitAlone(), BernoulliNB()
    partial_fit(model, X, rewards, np.full(60, 2.0))
    same.partial_fit(np.repeat(X, 2, axis=0), np.repeat(rewards, 2), [0, 1])
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize("name", ["logistic", "scaled logistic", "scaled svm", "neighbours"])
def test_metadata_routing_changes_nothing(name):
    X, rewards = observations()
    resampling = Resampling(kind="poisson", n_resamples=2)
    scores = []
    for routing in (False, True):
        with config_context(enable_metadata_routing=routing):
            oracle = ClassifierOracle(classifier=CLASSIFIERS[name], resampling=resampling)
            oracle.learn(0, X, rewards, np.random.default_rng(0))
            scores.append(oracle.score(X))
            assert get_config()["enable_metadata_routing"] == routing
    np.testing.assert_array_equal(*scores)


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
