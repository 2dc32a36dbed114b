"""Warm start: as if the policy had played the log."""

import numpy as np
import pytest
from six_rounds import six_rounds

from cbkit import EpsilonGreedy, Greedy, MABFirst, make_policy, simulate
from cbkit.datasets import load_dataset
from cbkit.off_policy import LoggedRounds, planted_log, warm_start


def test_a_warm_policy_is_the_one_that_was_updated_by_hand():
    log, dataset = planted_log(500)
    warm, by_hand = Greedy(20), Greedy(20)
    warm_start(warm, log, np.random.default_rng(0))
    by_hand.update(log.X, log.arms, log.rewards, np.random.default_rng(0))
    X = dataset.features[:20]
    assert np.array_equal(warm.score(X), by_hand.score(X), equal_nan=True)
    assert warm.n_fitted_arms > 0


def test_counts_leave_the_cold_start_and_schedules_stay():
    policy = EpsilonGreedy(
        3, cold_start=MABFirst(a=1, b=1, m=1), explore_probability=0.3, decay=0.5
    )
    warm_start(policy, six_rounds(), np.random.default_rng(0))
    assert policy.history_.positives.tolist() == [1, 1, 1]
    assert policy.history_.negatives.tolist() == [1, 1, 1]
    assert policy.n_fitted_arms == 3
    assert policy.chooser.probability_ == 0.3


def test_a_run_can_be_gone_on_with():
    dataset = load_dataset("demo")
    run = simulate(make_policy("RandomArm", dataset), dataset, seed=0, n_rounds=300)
    policy = make_policy("BootstrappedTS", dataset)
    warm_start(policy, LoggedRounds.from_run(run, dataset), np.random.default_rng(0))
    assert policy.history_.positives.sum() == run.rounds["reward"].sum()


def test_another_number_of_arms_is_refused():
    with pytest.raises(ValueError, match="the policy has 4 arms, the log 3"):
        warm_start(Greedy(4), six_rounds(), np.random.default_rng(0))
