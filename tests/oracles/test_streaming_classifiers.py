"""Claims about classifiers with ``partial_fit`` as oracles."""

import numpy as np
import pytest
from classifier_cases import observations
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from cbkit import OnlineBootstrappedUCB, load_dataset, simulate
from cbkit.oracles.classifiers import StreamingOracle
from cbkit.oracles.resampling import Resampling

CLASSIFIERS = [SGDClassifier(), SGDClassifier(loss="log_loss"), BernoulliNB(), Perceptron()]
CONTAINERS = (np.asarray, sparse.csr_array)


class WithoutWeights(BaseEstimator):
    """Predicts the share of rewards it saw."""

    def fit(self, X, y):
        raise AssertionError("a streaming oracle does not refit")

    def partial_fit(self, X, y, classes=None):
        self.seen_ = [*getattr(self, "seen_", []), *y]
        return self

    def predict_proba(self, X):
        share = np.mean(self.seen_)
        return np.tile([1 - share, share], (X.shape[0], 1))


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
def test_blocks_are_learned_one_after_the_other_as_partial_fit_does(classifier, container):
    X, rewards = observations()
    classifier = type(classifier)(**classifier.get_params())
    if "shuffle" in classifier.get_params():
        classifier.set_params(shuffle=False)
    oracle = StreamingOracle(classifier=classifier)
    for block in np.split(np.arange(60), [7, 20]):
        oracle.learn(3, container(X[block]), rewards[block], np.random.default_rng(0))
        classifier.partial_fit(container(X[block]), rewards[block].astype(int), [0, 1])
    if hasattr(classifier, "predict_proba"):
        expected = classifier.predict_proba(container(X))[:, 1]
    else:
        expected = expit(classifier.decision_function(container(X)))
    np.testing.assert_allclose(oracle.score(container(X))[:, 0, 0], expected, atol=1e-12)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
def test_the_given_classifier_is_not_touched(classifier):
    X, rewards = observations()
    oracle = StreamingOracle(classifier=classifier)
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    assert not hasattr(classifier, "classes_")


def test_an_arm_is_fitted_once_it_saw_both_rewards():
    oracle, rng = StreamingOracle(classifier=BernoulliNB()), np.random.default_rng(0)
    X = np.array([[1.0, 0.0]])
    for reward, fitted in [(1, []), (1, []), (0, [6]), (0, [6])]:
        oracle.learn(6, X, np.array([reward]), rng)
        assert oracle.fitted_arms.tolist() == fitted and oracle.score(X).shape[1] == len(fitted)


@pytest.mark.parametrize("classifier", [*CLASSIFIERS, GaussianNB()], ids=str)
def test_resamples_without_both_labels_are_smoothed_constants_meanwhile(classifier):
    # of two rows, Poisson weights leave a resample without the one or the other in 60% of cases
    resampling = Resampling(kind="poisson", n_resamples=30)
    oracle = StreamingOracle(classifier=classifier, resampling=resampling)
    X, rewards = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1])
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    oracle.learn(0, X, rewards, rng)
    rng.bit_generator.state = state
    for _ in range(30):  # the clones' seeds are drawn first, where they have any
        if classifier.get_params().get("random_state", 0) is None:
            rng.integers(2**31)
    negative, positive = resampling.update(None, 2, rng)
    constant = (negative == 0) | (positive == 0)
    scores = oracle.score(X)[:, 0]
    assert np.isfinite(scores).all() and 5 < constant.sum() < 30
    expected = (positive + 1) / (positive + negative + 2)
    np.testing.assert_allclose(scores[:, constant], np.tile(expected[constant], (2, 1)))
    X, rewards = observations()
    again = StreamingOracle(classifier=classifier, resampling=resampling)
    again.learn(0, X, rewards, rng)
    assert (again.score(X)[:, 0].std(axis=0) > 0).all()


def test_resamples_of_classifiers_without_weights_repeat_rows():
    poisson = Resampling(kind="poisson", n_resamples=3)
    oracle = StreamingOracle(classifier=WithoutWeights(), resampling=poisson)
    X, rewards = observations()
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    weights = poisson.update(None, 60, np.random.default_rng(0))
    expected = rewards @ weights / weights.sum(axis=0)
    np.testing.assert_allclose(oracle.score(X)[0, 0], expected)


def test_the_classifier_its_parameters_and_resamples_have_an_effect():
    X, rewards = observations()
    scores = []
    for classifier in (BernoulliNB(), BernoulliNB(alpha=20.0)):
        for kind in ("gamma(1,1)", "poisson"):
            resampling = Resampling(kind=kind, n_resamples=2)
            oracle = StreamingOracle(classifier=classifier, resampling=resampling)
            oracle.learn(0, X, rewards, np.random.default_rng(0))
            scores.append(oracle.score(X)[:, 0])
            assert np.abs(scores[-1][:, 0] - scores[-1][:, 1]).max() > 1e-3
    for i in range(4):
        for j in range(i):
            assert np.abs(scores[i] - scores[j]).max() > 1e-3


@pytest.mark.parametrize("name", ["demo", "digits"])
@pytest.mark.parametrize("kind", ["gamma(1,1)", "poisson"])
def test_sparse_and_dense_runs_work_from_the_first_block(name, kind):
    dataset = load_dataset(name)
    oracle = StreamingOracle(classifier=SGDClassifier(loss="log_loss"))
    policy = OnlineBootstrappedUCB(dataset.n_arms, oracle=oracle, weights=kind, n_resamples=2)
    log = simulate(policy, dataset, seed=0, n_rounds=120)
    assert policy.n_fitted_arms > 1 and log.rounds["index"].notna().all()


@pytest.mark.parametrize(
    "classifier, resampling, message",
    [
        (LogisticRegression(), None, "partial_fit method, got LogisticReg.*write SGDClass"),
        (BernoulliNB, None, "must be an instance"),
        (BernoulliNB(), Resampling(), "multinomial resamples need the whole history"),
        (
            WithoutWeights(),
            Resampling(kind="uniform"),
            'no sample weights.*write weights="poisson" in',
        ),
    ],
)
def test_what_cannot_stream_is_refused(classifier, resampling, message):
    with pytest.raises(ValueError, match=message):
        StreamingOracle(classifier=classifier, resampling=resampling)
