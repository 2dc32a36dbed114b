"""Claims about what is refused as a classifier, and that the advice in refusals is true."""

import numpy as np
import pytest
import scipy.sparse
from classifier_cases import observations, planted
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import IsolationForest, VotingClassifier
from sklearn.feature_selection import SelectFpr, SelectKBest
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBRegressor

from cbkit import (
    BootstrappedUCB,
    ClassifierOracle,
    ForestOracle,
    Greedy,
    LogisticOracle,
    MultilabelDataset,
    OnlineBootstrappedUCB,
    Resampling,
    StreamingOracle,
    TreeLeafOracle,
    simulate,
)


class Changes(BaseEstimator):
    """Changes what its constructor is given, as some libraries do."""

    def __init__(self, weights=(1, 1)):
        self.weights = list(weights) if isinstance(weights, list) else weights

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.full((X.shape[0], 2), 0.5)


class LabelsAlone(BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.ones(len(X))


# When a policy is made


@pytest.mark.parametrize(
    "given, message",
    [
        (Ridge(), "Ridge is a regressor; write a classifier, such as LogisticRegression"),
        (XGBRegressor(), "XGBRegressor is a regressor"),
        (make_pipeline(StandardScaler(), Ridge()), "Pipeline is a regressor"),
        (GridSearchCV(Ridge(), {}), "GridSearchCV is a regressor"),
        (KMeans(), "KMeans is a clusterer"),
        (GaussianMixture(), "GaussianMixture is a density estimator"),
        (IsolationForest(), "IsolationForest is an outlier detector"),
        (StandardScaler(), "StandardScaler has neither predict_proba nor decision_function"),
        (make_pipeline(StandardScaler()), "Pipeline has neither"),
        (LabelsAlone(), "LabelsAlone has neither"),
        (BernoulliNB, r"must be an instance; write BernoulliNB\(\.\.\.\)"),
        (LogisticOracle, r"must be an instance; write LogisticOracle\(\.\.\.\)"),
        (None, "fit method, got None; write .*LogisticRegression"),
        (Changes([1, 2]), r"cannot copy this Changes \(.*weights.*where it changes a list, write"),
    ],
)
@pytest.mark.parametrize("make", [Greedy, BootstrappedUCB])
def test_what_is_no_classifier_is_refused_as_the_policy_is_made(make, given, message):
    with pytest.raises(ValueError, match=message):
        make(3, oracle=given)


def test_parameters_of_catboost_that_it_changes_are_refused_and_tuples_work():
    catboost = pytest.importorskip("catboost")
    with pytest.raises(ValueError, match=r"cannot copy .*class_weights.*write a tuple"):
        Greedy(2, oracle=catboost.CatBoostClassifier(class_weights=[1, 2]))
    Greedy(2, oracle=catboost.CatBoostClassifier(class_weights=(1, 2)))


def test_tuples_instead_of_lists_are_taken_as_advised():
    play(Greedy(3, oracle=Changes((1, 2))))


# At the first contexts


def play(policy, container=np.asarray):
    return simulate(policy, planted(container=container), seed=0, n_rounds=100)


@pytest.mark.parametrize(
    "classifier, container, message",
    [
        (LogisticRegression(C=-1.0), np.asarray, r"LogisticRegression cannot learn .*'C' param"),
        (GaussianNB(), sparse.csr_array, "GaussianNB cannot learn .*needs dense contexts"),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            sparse.csr_array,
            "Pipeline cannot learn .*needs dense contexts",
        ),
        (
            make_pipeline(PCA(20), LogisticRegression()),
            np.asarray,
            "Pipeline cannot learn .*n_components=20",
        ),
        (
            make_pipeline(SelectKBest(k=3), MultiOutputClassifier(BernoulliNB())),
            np.asarray,
            "Pipeline cannot learn .*two dimensions",
        ),
        (VotingClassifier([("bayes", BernoulliNB())]), np.asarray, "VotingClassifier has neither"),
        (KNeighborsClassifier(5000), np.asarray, "cannot learn .*n_neighbors = 5000"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_learn_is_refused_before_a_round_is_played(classifier, container, message):
    policy = Greedy(3, oracle=classifier)
    with pytest.raises(ValueError, match=message):
        play(policy, container)
    assert policy.is_fresh


@pytest.mark.parametrize(
    "classifier", [SGDClassifier(early_stopping=True), SGDClassifier(class_weight="balanced")]
)
def test_what_cannot_stream_is_refused_before_a_round_is_played(classifier):
    policy = Greedy(3, oracle=StreamingOracle(classifier=classifier))
    with pytest.raises(ValueError, match=r"SGDClassifier cannot learn .*partial_fit"):
        play(policy)
    assert policy.is_fresh


def test_negative_contexts_are_found_unfit_for_counts_before_a_round_is_played():
    X, _ = observations()
    data = MultilabelDataset.from_arrays(X - 0.5, X[:, :3] > 0.5)
    with pytest.raises(ValueError, match=r"MultinomialNB cannot learn .*Negative values"):
        simulate(Greedy(3, oracle=MultinomialNB()), data, seed=0)


@pytest.mark.parametrize(
    "classifier",
    [
        make_pipeline(SelectFpr(alpha=0.05), LogisticRegression()),
        make_pipeline(PCA(6), LogisticRegression()),
        QuadraticDiscriminantAnalysis(),
        KNeighborsClassifier(60),
    ],
    ids=lambda classifier: str(classifier)[:40],
)
@pytest.mark.filterwarnings("ignore:.*too few for")
def test_a_trial_does_not_refuse_what_works_on_rewards_that_follow_contexts(classifier):
    log = play(Greedy(3, oracle=classifier))
    assert log.facts["n_fitted_arms"] > 0


def test_more_features_than_contexts_in_the_trial_do_not_refuse_full_covariances():
    X = np.random.default_rng(0).normal(size=(50, 80))
    scored = Greedy(3, oracle=QuadraticDiscriminantAnalysis()).score(X)
    assert scored.shape == (50, 3, 1)


@pytest.mark.parametrize("n, varied", [(9, True), (50, False)])
def test_contexts_that_tell_nothing_are_no_trial(n, varied):
    X = np.random.default_rng(0).random((n, 4)) if varied else np.ones((n, 4))
    Greedy(3, oracle=KNeighborsClassifier(5000)).score(X)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("wrap", [ClassifierOracle, StreamingOracle])
def test_a_trial_moves_no_generator_and_leaves_the_classifier_as_it_is(wrap, container):
    classifier = SGDClassifier()
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    scores = []
    for is_tried in (True, False):
        X, rewards = observations()
        oracle, rng = wrap(classifier=classifier), np.random.default_rng(5)
        if is_tried:
            oracle.score(container(X))
        for rows in (slice(0, 8), slice(8, 60)):
            oracle.learn(0, container(X[rows]), rewards[rows], rng)
        scores.append(oracle.score(container(X)))
    np.testing.assert_array_equal(*scores)
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002
    assert not hasattr(classifier, "classes_") and classifier.random_state is None


# What refusals advise


def test_dense_contexts_by_a_first_step_work_as_advised():
    policy = Greedy(3, oracle=GaussianNB())
    with pytest.raises(ValueError) as caught:
        play(policy, sparse.csr_array)
    advised = str(caught.value).split("write ")[1].replace("(...)", "()")
    names = {"make_pipeline": make_pipeline, "FunctionTransformer": FunctionTransformer}
    names |= {"scipy": scipy, "GaussianNB": GaussianNB}
    given = eval(advised, names)
    one, other = (
        play(Greedy(3, oracle=given), sparse.csr_array),
        play(Greedy(3, oracle=GaussianNB())),
    )
    np.testing.assert_array_equal(one.rounds["arm"], other.rounds["arm"])


def test_poisson_weights_work_as_advised_for_policies_and_oracles():
    neighbours = KNeighborsClassifier(2)
    message = r'write weights="poisson" in a policy, Resampling\(kind="poisson"\) in an oracle'
    with pytest.raises(ValueError, match=message):
        OnlineBootstrappedUCB(3, oracle=neighbours)
    with pytest.raises(ValueError, match=message):
        ClassifierOracle(classifier=neighbours, resampling=Resampling(kind="uniform"))
    play(OnlineBootstrappedUCB(3, oracle=neighbours, weights="poisson", n_resamples=2))
    ClassifierOracle(classifier=neighbours, resampling=Resampling(kind="poisson"))


@pytest.mark.parametrize(
    "oracle", ["streaming-logistic", StreamingOracle(classifier=BernoulliNB())], ids=str
)
def test_gamma_weights_work_as_advised_for_streaming(oracle):
    message = r'write weights="gamma\(1,1\)" in a policy, Resampling\(kind="gamma\(1,1\)"\)'
    with pytest.raises(ValueError, match=message):
        BootstrappedUCB(3, oracle=oracle)
    play(BootstrappedUCB(3, oracle=oracle, weights="gamma(1,1)", n_resamples=2))


def test_weights_that_are_not_kept_work_as_advised():
    with pytest.raises(ValueError, match=r"write kept=False, or gamma\(1,1\) weights"):
        OnlineBootstrappedUCB(3, weights="multinomial")
    play(OnlineBootstrappedUCB(3, weights="multinomial", kept=False))
    play(OnlineBootstrappedUCB(3, weights="gamma(1,1)"))


def test_full_refits_work_as_advised_for_what_has_no_partial_fit():
    tree = DecisionTreeClassifier()
    with pytest.raises(ValueError, match=r"partial_fit method.*write SGDClassifier .*or Classif"):
        StreamingOracle(classifier=tree)
    play(Greedy(3, oracle=ClassifierOracle(classifier=tree)))
    play(Greedy(3, oracle=StreamingOracle(classifier=SGDClassifier())))


@pytest.mark.parametrize(
    "make, right",
    [
        (lambda given: ForestOracle(forest=given), r"RandomForestClassifier\(\) or ExtraTrees"),
        (lambda given: TreeLeafOracle(tree=given), r"DecisionTreeClassifier\(\)"),
    ],
)
@pytest.mark.parametrize("given", [LogisticRegression(), DecisionTreeClassifier])
def test_oracles_of_trees_need_trees(make, right, given):
    with pytest.raises(ValueError, match=f"needs {right}.*, got"):
        make(given)
