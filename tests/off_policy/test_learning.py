"""Policies learned from logs: better than the log's, and usable wherever a policy is."""

import pickle

import numpy as np
import pytest
from six_rounds import six_rounds
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier

from cbkit import MultilabelDataset, simulate
from cbkit.off_policy import (
    DoublyRobustLearner,
    ImportanceWeightedLearner,
    LoggedRounds,
    draw_log,
    gather,
    greedy_target,
    true_value,
)

LEARNERS = [ImportanceWeightedLearner(), DoublyRobustLearner()]


@pytest.fixture(scope="module")
def data():
    """Four arms; the sign of two features tells which of them earns most."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    best = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    chances = np.where(np.arange(4) == best[:, None], 0.7, 0.1)
    return MultilabelDataset.from_arrays(X, rng.random((3000, 4)) < chances)


@pytest.fixture(scope="module")
def log(data):
    probabilities = np.tile([0.55, 0.15, 0.15, 0.15], (data.n_rows, 1))
    rows = np.arange(0, data.n_rows, 2)
    return draw_log(data, probabilities[rows], rows, np.random.default_rng(1))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("classifier", ["default", "forest"])
def test_what_is_learned_beats_the_log_and_every_fixed_arm(learner, classifier, log, data):
    if classifier == "forest":
        forest = RandomForestClassifier(n_estimators=20, min_samples_leaf=20, random_state=0)
        learner = type(learner)(classifier=forest)
    policy = learner.fit(log, np.random.default_rng(0))
    held_out = MultilabelDataset.from_arrays(data.features[1::2], data.labels[1::2])
    value = true_value(held_out, greedy_target(policy)(held_out.features))
    assert log.rewards.mean() < 0.35
    assert value > 0.5  # 0.7 at best, 0.25 for a fixed arm


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda x: type(x).__name__)
def test_what_is_learned_is_a_policy_like_any_other(learner, log, data):
    policy = pickle.loads(pickle.dumps(learner.fit(log, np.random.default_rng(0))))
    assert gather(log, greedy_target(policy)).weights.max() > 0
    run = simulate(policy, data, seed=0, n_rounds=500)
    assert run.mean_reward > 0.5
    assert set(run.rounds["propensity"]) == {1.0}
    before = greedy_target(policy)(data.features[:50])
    policy.update(data.features[:50], np.zeros(50, int), np.ones(50), np.random.default_rng(0))
    assert (greedy_target(policy)(data.features[:50]) == before).all()  # it learns no more


def test_propensities_count():
    """Arm 1 earns more; the log shows arm 0 nine times as often."""
    rng = np.random.default_rng(0)
    arms = (rng.random(3000) < 0.1).astype(int)
    log = LoggedRounds(
        X=rng.normal(size=(3000, 1)),
        arms=arms,
        rewards=rng.random(3000) < np.where(arms, 0.5, 0.3),
        propensities=np.where(arms, 0.1, 0.9),
        n_arms=2,
    )
    for learner in LEARNERS:
        policy = learner.fit(log, rng)
        assert policy.select(np.zeros((1, 1)), rng).tolist() == [1]


def test_a_log_without_rewards_is_refused():
    with pytest.raises(ValueError, match="no round of 'log' is rewarded"):
        ImportanceWeightedLearner().fit(six_rounds(rewards=[0] * 6), np.random.default_rng(0))


@pytest.mark.parametrize("learner", [ImportanceWeightedLearner, DoublyRobustLearner])
def test_classifiers_that_take_no_weights_are_refused(learner):
    with pytest.raises(ValueError, match="takes no sample weights"):
        learner(classifier=KNeighborsClassifier())
