"""What such policies commonly get wrong, each in its smallest form; names begin with the area."""

import pickle

import numpy as np
import pytest
from sampling import assert_shares
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from cbkit import (
    BestArmOnline,
    EpsilonGreedy,
    ExploreThenExploit,
    Greedy,
    LogisticOracle,
    MABFirst,
    MultilabelDataset,
    Smoothing,
    make_policy,
    policy_names,
    simulate,
)
from cbkit.oracles.guards.few_rows import fit_guarded
from cbkit.oracles.guards.fitting import seeded_clone
from cbkit.oracles.guards.probabilities import positive_probability
from cbkit.oracles.resampling import Resampling
from cbkit.policies.choosers import SoftmaxDraw
from cbkit.policies.choosers.adaptive import PercentileGreedy, ThresholdGreedy
from cbkit.policies.choosers.exploration import ActiveExplore, Context, logistic_gradient_norms
from cbkit.policies.indices import RandomResample

DRAWS = np.random.default_rng(0)
X = DRAWS.normal(size=(60, 3))
LABELS = (X > 0).astype(int)
DATA = MultilabelDataset.from_arrays(X, LABELS)


def rng():
    return np.random.default_rng(1)


def learned(policy, matrix=X):
    arms = np.arange(60) % policy.n_arms
    policy.update(matrix, arms, LABELS[np.arange(60), arms % 3], rng())
    return policy


def test_bootstrap_one_label_resample_is_refitted_at_the_next_chance():
    oracle = LogisticOracle(resampling=Resampling(kind="multinomial", n_resamples=40))
    oracle.learn(0, X[:2], np.array([0.0, 1.0]), rng())
    scores = oracle.score(X)[:, 0]
    constant = np.ptp(scores, axis=0) < 1e-12
    assert constant.any() and not constant.all()
    # Two observations of one label: (0 + 1) / (2 + 2) or (2 + 1) / (2 + 2).
    np.testing.assert_allclose(abs(scores[0, constant] - 0.5), 0.25)
    oracle.learn(0, X[:40], LABELS[:40, 0].astype(float), rng())
    assert (np.ptp(oracle.score(X)[:, 0], axis=0) > 0.1).all()


def test_bootstrap_choice_among_resamples_sums_to_1_in_each_round():
    scores = np.tile(np.arange(4.0), (2, 1, 1))  # two rounds, one arm, four resamples
    generator = rng()
    drawn = np.array([RandomResample()(scores, generator)[:, 0] for _ in range(2000)])
    for one_round in drawn.astype(int).T:
        assert_shares(one_round, [0.25] * 4)


def test_softmax_is_of_the_multiplied_inverse_sigmoid():
    probabilities = SoftmaxDraw(multiplier=2.0).probabilities(np.array([0.5, 0.8]))
    np.testing.assert_allclose(probabilities, [1 / 17, 16 / 17])  # odds 1 and 4, squared


def test_active_weighs_norms_that_are_not_squared_by_their_own_probability():
    context = Context(np.array([[2.0, 2.0]]), 0)  # the norm of [2, 2, 1] is 3
    values = np.array([0.25])
    np.testing.assert_allclose(logistic_gradient_norms(context, values), [[0.75], [2.25]])
    usefulness = ActiveExplore(gradient_norms=lambda *_: np.array([[3.0], [5.0]])).usefulness
    np.testing.assert_allclose(usefulness(values, context), 0.75 * 3 + 0.25 * 5)


def test_decay_moves_once_per_round_played_and_never_by_looking():
    policy = EpsilonGreedy(3, explore_probability=0.5, decay=0.9)
    policy.select(X[:4], rng())
    policy.score(X)
    policy.prepare(X)
    learned(policy)
    assert policy.chooser.probability_ == pytest.approx(0.5 * 0.9**4)
    chooser = ThresholdGreedy(threshold=0.5, decay=0.9)
    for _ in range(3):
        chooser.choose(np.array([0.1, 0.9]), None, rng())
    assert chooser.threshold_ == pytest.approx(0.5 * 0.9**3)


def test_adaptive_greedy_percentile_waits_for_a_full_window_that_moves():
    chooser = PercentileGreedy(window=3, threshold=0.5, percentile=50, decay=0.8)
    seen = []
    for best in (0.9, 0.1, 0.3, 0.6, 0.7):
        chooser.choose(np.array([0.0, best]), None, rng())
        seen.append((round(chooser.threshold_, 9), round(chooser.percentile_, 9)))
    # Medians of the last three, then the 40th and the 32nd percentile of theirs.
    assert seen == [(0.5, 50), (0.5, 50), (0.3, 40), (0.26, 32), (0.492, 25.6)]


def test_explore_then_exploit_block_may_cross_the_turning_point():
    policy = learned(ExploreThenExploit(3, turning_point=6, cold_start=None))
    block = policy.prepare(X[:10])
    decisions = [policy.choose(block, row, rng()) for row in range(10)]
    assert [decision.explored for decision in decisions] == [True] * 5 + [False] * 5
    assert {decision.arm for decision in decisions} <= {0, 1, 2}


def test_cold_start_draws_are_in_choose_alone_and_seeded():
    policy = Greedy(3, cold_start=MABFirst(a=1, b=1))
    assert np.isnan(policy.score(X)).all()
    one, again, other = (policy.select(X, np.random.default_rng(s)).tolist() for s in (0, 0, 1))
    assert one == again != other


@pytest.mark.parametrize(
    ("cold_start", "low", "high"),
    [
        (None, 0.5, 0.5),
        (Smoothing(a=1, b=10), 0.1, 0.1),
        (MABFirst(a=9, b=1), 0.5, 1),
        ((MABFirst(a=9, b=1), Smoothing(a=1, b=10)), 0.5, 1),
    ],
    ids=["neither", "smoothing", "prior", "both"],
)
def test_cold_start_by_prior_and_smoothing_either_both_or_none(cold_start, low, high):
    policy = Greedy(3, cold_start=cold_start)
    generator, block = rng(), policy.prepare(X)
    indices = [policy.choose(block, row, generator).index for row in range(60)]
    assert low <= min(indices) <= max(indices) <= high
    assert learned(policy).n_fitted_arms == 3


def test_ties_are_broken_at_random_by_an_untouched_policy():
    arms = Greedy(3, cold_start=None).select(np.zeros((900, 1)), rng())
    assert_shares(arms, [1 / 3] * 3)


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize(
    "classifier",
    [LogisticRegression(), DecisionTreeClassifier(), GaussianNB(), XGBClassifier(n_estimators=2)],
    ids=lambda classifier: type(classifier).__name__,
)
def test_labels_of_one_kind_are_guarded_for_every_classifier(classifier, label):
    model = fit_guarded(classifier, X[:4], np.full(4, label), None, rng())
    expected = np.full(60, (4 * label + 1) / 6)
    np.testing.assert_allclose(positive_probability(model, X), expected)


def test_labels_without_probabilities_use_a_sigmoid_a_calibration_or_are_refused():
    model = fit_guarded(LinearSVC(), X, LABELS[:, 0], None, rng())
    np.testing.assert_allclose(positive_probability(model, X), expit(model.decision_function(X)))
    calibrated = fit_guarded(LinearSVC(), X, LABELS[:, 0], None, rng(), "calibrated")
    assert hasattr(calibrated, "predict_proba")
    with pytest.raises(ValueError, match=r"wrap it in .*CalibratedClassifierCV"):
        positive_probability(object(), X)


@pytest.mark.parametrize("reward", [0.3, -1.0, 2])
def test_rewards_that_are_continuous_or_negative_are_refused_with_the_value(reward):
    policy = Greedy(3)
    with pytest.raises(ValueError, match=f"rewards must be 0 or 1, got {reward}"):
        policy.update(X[:2], [0, 1], [1, reward], rng())
    policy.update(X[:2], [0, 1], [True, False], rng())
    policy.update(X[:2], [0, 1], [1.0, 0.0], rng())
    assert policy.history_.positives.tolist() == [2, 0, 0]


def test_arms_may_be_two_and_none_is_out_of_range():
    assert set(Greedy(2).select(X, rng())) == {0, 1}
    for arm in (-1, 2):
        with pytest.raises(ValueError, match=rf"arms must be in \[0, 1\], got {arm}"):
            Greedy(2).update(X[:1], [arm], [1], rng())


@pytest.mark.parametrize("cold_start", [None, MABFirst(a=1, b=1), Smoothing(a=1, b=2)])
def test_arms_that_come_and_go_leave_the_others_scores(cold_start):
    policy = learned(Greedy(3, cold_start=cold_start))
    before = policy.score(X)
    policy.add_arm()
    policy.drop_arm(1)
    np.testing.assert_allclose(policy.score(X)[:, :2], before[:, [0, 2]], rtol=1e-12)
    assert set(policy.select(X, rng())) <= {0, 2, 3}  # their names last


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_input_may_be_sparse_of_any_kind_and_is_never_densified(form):
    matrix = form(X * (X > 0))
    expected = learned(Greedy(3, cold_start=None), X * (X > 0)).score(X)
    policy = learned(Greedy(3, cold_start=None), matrix)
    assert sparse.issparse(policy.history_.observations(0)[0])
    np.testing.assert_allclose(policy.score(X), expected, atol=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_input_that_is_not_finite_is_refused_at_the_door(bad):
    for form in (np.array, sparse.csr_array):
        with pytest.raises(
            ValueError, match=f"contexts must be finite, got {bad} in row 0, column 1"
        ):
            Greedy(3).select(form([[1.0, bad]]), rng())


def test_estimator_of_the_user_is_left_as_it_was():
    classifier = GaussianNB()
    learned(Greedy(3, oracle=classifier, cold_start=None))
    assert not hasattr(classifier, "classes_")


@pytest.mark.parametrize("name", policy_names())
def test_estimator_and_policy_pickle_by_every_name(name):
    policy = learned(make_policy(name, DATA))
    loaded = pickle.loads(pickle.dumps(policy))
    assert loaded.select(X, rng()).tolist() == policy.select(X, rng()).tolist()


def test_seeds_may_be_0_are_not_global_and_differ_between_arms():
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    logs = [simulate(BestArmOnline(3), DATA, seed=seed).rounds for seed in (0, 0, 1)]
    assert logs[0].equals(logs[1]) and not logs[0].equals(logs[2])
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002
    generator = rng()
    seeds = {seeded_clone(DecisionTreeClassifier(), generator).random_state for _ in range(5)}
    assert len(seeds) == 5
