"""Policies that learn, evaluated over one log: against simulation, and by the formula."""

import numpy as np
import pytest
from six_rounds import six_rounds

from cbkit import (
    BestArmInHindsight,
    EpsilonGreedy,
    Greedy,
    MultilabelDataset,
    Smoothing,
    simulate,
)
from cbkit.off_policy import LoggedRounds, draw_log, evaluate_learner


def test_an_arm_that_is_always_played_gives_the_doubly_robust_formula():
    log = six_rounds(propensities=[1 / 3] * 6)
    q = np.array([0.5, 0.25, 0.75])
    found = evaluate_learner(
        BestArmInHindsight(3, arm=0),
        log,
        np.random.default_rng(0),
        predict=lambda rows: np.tile(q, (len(rows), 1)),
    )
    # q of arm 0 in all six rounds, corrected where it was logged: 3 * (1 - .5) and 3 * (0 - .5)
    terms = np.array([0.5 + 1.5, 0.5, 0.5, 0.5 - 1.5, 0.5, 0.5])
    assert found.sequential_dr == pytest.approx(terms.mean())
    assert found.sequential_dr_error == pytest.approx(terms.std(ddof=1) / np.sqrt(6))
    assert (found.replay, found.n_accepted) == (0.5, 2)


def test_the_learner_learns_from_accepted_rounds_alone():
    log = six_rounds(propensities=[1 / 3] * 6)
    policy = BestArmInHindsight(3, arm=1)
    evaluate_learner(policy, log, np.random.default_rng(0))
    assert policy.history_.positives.tolist() == [0, 1, 0]
    assert policy.history_.negatives.tolist() == [0, 1, 0]


def test_schedules_stay_where_they_were_in_rounds_that_are_not_accepted():
    log = six_rounds(propensities=[1 / 3] * 6)
    policy = EpsilonGreedy(3, explore_probability=0.5, decay=0.5, cold_start=Smoothing(a=1, b=2))
    found = evaluate_learner(policy, log, np.random.default_rng(0))
    assert policy.chooser.probability_ == 0.5 * 0.5**found.n_accepted


def environment(n_rows=6000, seed=0):
    """Three arms, of which contexts tell the better one; rewards are known for all."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    chances = 1 / (1 + np.exp(-3 * np.column_stack([X, -X.sum(axis=1)])))
    return MultilabelDataset.from_arrays(X, rng.random(chances.shape) < chances * 0.8)


@pytest.mark.statistical
@pytest.mark.parametrize("skewed", [False, True])
def test_both_estimates_agree_with_letting_the_policy_play(skewed):
    """Greedy learns over 200 rounds; its mean reward there, over 15 replicates of each."""
    n_rounds, replicates = 200, 15

    def policy():
        return Greedy(3, cold_start=Smoothing(a=1, b=2))

    played, replayed, doubly_robust = [], [], []
    for seed in range(replicates):
        data = environment(seed=seed)
        run = simulate(policy(), data, seed=seed, n_rounds=n_rounds, refit_every=20)
        played.append(run.mean_reward)
        rng = np.random.default_rng(seed)
        probabilities = np.tile([0.5, 0.25, 0.25] if skewed else [1 / 3] * 3, (data.n_rows, 1))
        log = draw_log(data, probabilities, rng.permutation(data.n_rows), rng)
        # as many logged rounds as it takes to accept about n_rounds
        share = 0.25 if skewed else 1 / 3
        log = log.take(np.arange(int(n_rounds / share)))
        found = evaluate_learner(
            policy(),
            log,
            rng,
            predict=lambda rows, log=log: np.full((len(rows), 3), 0.4),
            refit_every=20,
        )
        replayed.append(found.replay)
        doubly_robust.append(found.sequential_dr)
    for estimates in (replayed, doubly_robust):
        difference = np.mean(estimates) - np.mean(played)
        error = np.hypot(np.std(estimates, ddof=1), np.std(played, ddof=1)) / np.sqrt(replicates)
        # rounds learned from differ a little between logs: one percent of the reward
        assert abs(difference) <= 4 * error + 0.01 * np.mean(played)


def test_without_a_model_there_is_no_doubly_robust_estimate():
    found = evaluate_learner(BestArmInHindsight(3, arm=0), six_rounds(), np.random.default_rng(0))
    assert np.isnan(found.sequential_dr)


def test_another_number_of_arms_is_refused():
    with pytest.raises(ValueError, match="the policy has 2 arms, the log 3"):
        evaluate_learner(BestArmInHindsight(2, arm=0), six_rounds(), np.random.default_rng(0))


def test_a_log_without_rounds_played_alike_says_so():
    log = LoggedRounds(
        X=[[0.0]] * 3, arms=[1, 1, 1], rewards=[1, 1, 0], propensities=[0.5] * 3, n_arms=2
    )
    found = evaluate_learner(BestArmInHindsight(2, arm=0), log, np.random.default_rng(0))
    assert found.n_accepted == 0
    assert np.isnan(found.replay)
