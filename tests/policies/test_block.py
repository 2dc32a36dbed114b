"""Numbers per arm of a block's rounds: drawn together, and each as if drawn in its own round."""

import numpy as np
import pytest
from sampling import assert_mean, assert_shares
from scipy import stats

from cbkit import MABFirst, Policy, Smoothing
from cbkit.policies.block import values_of
from cbkit.policies.indices import RandomResample

N_ARMS = 8
PRIOR = MABFirst(a=3, b=7)


class Scored:
    """An oracle that scores arm 0 by its resamples' numbers, and no other arm."""

    streaming = False
    resampling = None
    fitted_arms = np.array([0])

    def __init__(self, *scores):
        self.scores = np.array(scores)

    def score(self, X):
        return np.tile(self.scores, (X.shape[0], 1, 1))


class Rounds:
    """A policy's block of rounds, of which `values` gives the numbers per arm."""

    def __init__(self, *, n_rounds, seed=0, scores=(0.5,), **parts):
        self.policy = Policy(n_arms=N_ARMS, oracle=Scored(*scores), **parts)
        self.policy.history_.positives[0] = self.policy.history_.negatives[0] = 9
        self.block = self.policy.prepare(np.zeros((n_rounds, 2)))
        self.rng = np.random.default_rng(seed)

    def values(self, row):
        policy = self.policy
        parts = policy.index, policy.cold_start_, policy.history_, self.rng
        return values_of(self.block, row, *parts)

    def observe(self, *arms, reward=0):
        for arm in arms:
            self.policy.record(self.block.X, 0, arm, reward)


@pytest.mark.statistical
def test_every_round_and_arm_has_a_draw_of_its_own():
    rounds = Rounds(n_rounds=600, cold_start=PRIOR)
    draws = np.array([rounds.values(row) for row in range(600)])
    assert (draws[:, 0] == 0.5).all()
    assert len(np.unique(draws[:, 1:])) == 600 * (N_ARMS - 1)
    assert stats.kstest(draws[:, 1:].ravel(), stats.beta(3, 7).cdf).pvalue > 1e-3
    lag = np.corrcoef(draws[:-1, 1], draws[1:, 1])[0, 1]
    assert abs(lag) < 4 / np.sqrt(600)


@pytest.mark.statistical
@pytest.mark.parametrize("observed", [(3,), (1, 2, 3, 4, 5, 6)], ids=["one arm", "six arms"])
def test_draws_after_an_observation_come_from_the_new_posterior(observed):
    rounds = Rounds(n_rounds=2000, cold_start=PRIOR)
    after = []
    for row in range(0, 2000, 50):
        rounds.values(row)
        rounds.observe(*observed, reward=1)
        rounds.observe(*observed)
        counts = rounds.policy.history_.positives[3]
        after.extend(
            stats.beta(3 + counts, 7 + counts).cdf(rounds.values(row + 1 + step)[list(observed)])
            for step in range(20)
        )
    shares = np.ravel(after)
    assert len(np.unique(shares)) == len(shares)
    assert stats.kstest(shares, "uniform").pvalue > 1e-3


def test_an_observation_leaves_the_draws_of_other_arms_alone():
    one, other = (Rounds(n_rounds=5, cold_start=PRIOR) for _ in range(2))
    np.testing.assert_array_equal(one.values(0), other.values(0))
    one.observe(4)
    changed = one.values(1) != other.values(1)
    assert np.flatnonzero(changed).tolist() == [4]
    changed = one.values(2) != other.values(2)  # for the rounds after that too
    assert np.flatnonzero(changed).tolist() == [4]


def test_counts_are_noticed_when_another_arm_takes_the_place_of_one():
    rounds = Rounds(n_rounds=3, cold_start=MABFirst(a=1, b=1))
    history = rounds.policy.history_
    history.positives[1], history.negatives[2] = 10**6, 10**6
    assert rounds.values(0)[1] > 0.99
    history.drop_arm(1)
    history.add_arm()
    assert rounds.values(1)[1] < 0.01


def test_an_arm_may_be_a_number_of_numpy():
    one, other = (Rounds(n_rounds=5, cold_start=PRIOR) for _ in range(2))
    one.values(0), other.values(0)
    one.observe(4)
    other.observe(np.int64(4))
    np.testing.assert_array_equal(one.values(1), other.values(1))


def test_observing_an_arm_that_its_oracle_scores_draws_nothing():
    one, other = (Rounds(n_rounds=5, cold_start=PRIOR) for _ in range(2))
    one.values(0), other.values(0)
    one.observe(0)
    np.testing.assert_array_equal(one.values(1), other.values(1))
    assert one.rng.bit_generator.state == other.rng.bit_generator.state


@pytest.mark.parametrize("row", [0, 1], ids=["the same row", "an earlier row"])
def test_a_row_that_was_passed_is_drawn_again(row):
    rounds = Rounds(n_rounds=3, cold_start=PRIOR)
    first = [rounds.values(0), rounds.values(1)][row].copy()
    rounds.values(1 + row)
    assert (rounds.values(row)[1:] != first[1:]).all()


def test_rounds_far_ahead_are_drawn_when_they_come_with_the_counts_of_then():
    rounds = Rounds(n_rounds=500, cold_start=MABFirst(a=1, b=1))
    rounds.values(0)
    rounds.policy.history_.negatives[5] = 10**9
    assert rounds.values(499)[5] < 1e-6
    rounds.policy.history_.positives[5] = 10**15
    assert rounds.values(300)[5] > 0.99


def test_unseen_and_one_sided_arms_follow_their_mean_reward_within_a_block():
    rounds = Rounds(n_rounds=4)
    assert rounds.values(0).tolist() == [0.5] * N_ARMS
    rounds.observe(2, 2, 2, 2)
    rounds.observe(2, reward=1)
    assert rounds.values(1)[[1, 2]].tolist() == [0.5, 0.2]
    rounds.observe(2, reward=1)
    assert rounds.values(3)[2] == pytest.approx(2 / 6)


def test_smoothing_follows_the_counts_within_a_block_for_scored_arms_too():
    rounds = Rounds(n_rounds=4, cold_start=Smoothing(a=1, b=10))
    # Arm 0 was observed 18 times and scores 1/2; the others are unplayed.
    np.testing.assert_allclose(rounds.values(0)[:2], [(18 * 0.5 + 1) / 28, 0.1])
    rounds.observe(0, 1)
    np.testing.assert_allclose(rounds.values(1)[:3], [(19 * 0.5 + 1) / 29, 1 / 11, 0.1])


@pytest.mark.statistical
def test_random_resamples_are_drawn_anew_in_each_round():
    scores = np.arange(4) / 10
    rounds = Rounds(n_rounds=1000, scores=scores, index=RandomResample())
    drawn = np.array([round(10 * rounds.values(row)[0]) for row in range(1000)])
    assert_shares(drawn, [0.25] * 4)
    assert_mean(drawn[:-1] == drawn[1:], 0.25, np.sqrt(0.25 * 0.75))
