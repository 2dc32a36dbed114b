"""A policy's round: what cold arms score, what counts when, what propensities are worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import assert_mean, assert_shares
from scipy import sparse, stats

from cbkit import BootstrappedTS, Greedy, LogisticOracle, MABFirst, Policy, Smoothing
from cbkit.oracles.resampling import Resampling
from cbkit.policies.block import values_of
from cbkit.policies.choosers import EpsilonMix, RandomThenBest, SoftmaxDraw
from cbkit.policies.indices import Mean, RandomResample, UpperPercentile

X = np.array([[1.0, 0.0], [0.0, 1.0]])


class Known:
    """An oracle whose scores are given, (n_arms, n_resamples), for the arms named."""

    streaming = False
    resampling = None

    def __init__(self, scores, arms=None):
        self.scores = np.atleast_2d(np.asarray(scores, dtype=float).T).T
        self.fitted_arms = np.arange(len(self.scores)) if arms is None else np.array(arms)
        self.learned = []

    def learn(self, arm, X, rewards, rng):
        self.learned.append((arm, X.shape[0], rewards.tolist()))

    def score(self, X):
        return np.tile(self.scores, (X.shape[0], 1, 1))


def policy(scores, arms=None, n_arms=None, counts=None, **parts):
    oracle = Known(scores, arms)
    made = Policy(n_arms=n_arms or len(oracle.scores), oracle=oracle, **parts)
    if counts:
        made.history_.positives[:], made.history_.negatives[:] = counts
    return made


def decide(made, n_rounds=1, seed=0):
    rng = np.random.default_rng(seed)
    block = made.prepare(X)
    return [made.choose(block, 0, rng) for _ in range(n_rounds)]


def numbers(made, row=0):
    """What the chooser would see in a row of X."""
    parts = made.index, made.cold_start_, made.history_, np.random.default_rng(0)
    return values_of(made.prepare(X), row, *parts).tolist()


def arms_of(decisions):
    return np.array([decision.arm for decision in decisions])


# --- what cold arms score


def test_without_cold_start_unfitted_arms_score_their_mean_reward_and_unplayed_ones_a_half():
    made = policy([0.3], arms=[0], n_arms=3, counts=([9, 2, 0], [9, 0, 0]))
    assert numbers(made) == [0.3, 1.0, 0.5]
    assert decide(made)[0].index == 1.0


def test_smoothing_alone_smooths_every_arm_by_its_number_of_observations():
    # (18 * .3 + 1) / 28 fitted, (2 * 1 + 1) / 12 one label only, 1 / 10 unplayed
    made = policy([0.3], arms=[0], n_arms=3, counts=([9, 2, 0], [9, 0, 0]))
    made.cold_start_.smoothing = Smoothing(a=1, b=10)
    np.testing.assert_allclose(numbers(made), [6.4 / 28, 3 / 12, 0.1])


def test_mab_first_replaces_the_oracle_below_its_threshold_alone():
    made = policy(
        [0.9, 0.8], counts=([5, 1], [5, 5]), cold_start=MABFirst(a=1, b=9e9, m=2)
    )  # arm 1 saw one reward only: its Beta draw is about 0
    block = made.prepare(X)
    assert block.warm.tolist() == [0]
    assert block.is_cold.tolist() == [False, True]
    assert np.isnan(made.score(X)[:, 1]).all()
    scored, drawn = numbers(made)
    assert scored == 0.9
    assert 0 < drawn < 1e-8


@pytest.mark.statistical
def test_cold_arm_scores_a_fresh_beta_draw_in_each_round():
    made = policy([0.0], arms=[0], n_arms=2, counts=([9, 1], [9, 3]), cold_start=MABFirst(a=3, b=7))
    index = [decision.index for decision in decide(made, 3000)]
    assert len(set(index)) == 3000
    posterior = stats.beta(3 + 1, 7 + 3)
    assert_mean(index, posterior.mean(), posterior.std())
    assert_mean(np.array(index) < posterior.ppf(0.9), 0.9, 0.3)


def test_both_cold_starts_smooth_oracles_but_not_draws():
    prior = MABFirst(a=9e9, b=1e-3)  # draws of 1
    made = policy([0.3], arms=[0], n_arms=2, counts=([9, 0], [9, 0]))
    made.cold_start_.mab_first, made.cold_start_.smoothing = prior, Smoothing(a=1, b=10)
    np.testing.assert_allclose(numbers(made), [6.4 / 28, 1.0])


def test_draws_use_the_counts_of_this_very_round():
    made = policy([0.0], arms=[0], n_arms=2, counts=([9, 0], [9, 0]), cold_start=MABFirst(a=1, b=1))
    block = made.prepare(X)
    rng = np.random.default_rng(0)
    made.history_.negatives[1] = 10**9
    assert made.choose(block, 0, rng).index < 1e-6


def test_arm_that_reaches_the_threshold_inside_a_block_waits_for_the_refit():
    made = Greedy(2, cold_start=MABFirst(a=1, b=1, m=1))
    rng = np.random.default_rng(0)
    block = made.prepare(X)
    made.record(block.X, 0, 1, 1)
    made.record(block.X, 1, 1, 0)
    assert made.choose(block, 0, rng).cold_start
    assert made.prepare(X).is_cold.all()
    made.refit(rng)
    assert made.prepare(X).is_cold.tolist() == [True, False]


# --- refits


def test_refit_learns_the_changed_arms_that_have_enough_observations_once():
    made = policy([0.5, 0.5, 0.5], cold_start=MABFirst(a=1, b=1, m=2))
    rng = np.random.default_rng(0)
    for arm, reward in [(0, 1), (0, 0), (0, 1), (2, 1), (2, 1), (2, 0), (2, 0)]:
        made.record(X, 0, arm, reward)
    made.refit(rng)
    made.refit(rng)
    assert made.oracle.learned == [(2, 4, [1, 1, 0, 0])]
    made.record(X, 1, 0, 0)
    made.refit(rng)
    assert made.oracle.learned[1:] == [(0, 4, [1, 0, 1, 0])]
    assert made.n_refits_ == 2


@pytest.mark.parametrize("cold_start", [None, Smoothing(a=1, b=10)])
def test_without_mab_first_an_arm_is_fitted_from_one_of_each_label(cold_start):
    made = policy([0.5, 0.5], cold_start=cold_start)
    for arm, reward in [(0, 1), (0, 1), (1, 0), (1, 1)]:
        made.record(X, 0, arm, reward)
    made.refit(np.random.default_rng(0))
    assert made.oracle.learned == [(1, 2, [0, 1])]


def test_exclusive_rewards_add_each_rewarded_row_as_non_reward_to_all_other_arms():
    made = policy([0.5, 0.5, 0.5], exclusive_rewards=True)
    made.record(X, 0, 1, 1)
    made.record(X, 1, 2, 0)
    assert made.history_.positives.tolist() == [0, 1, 0]
    assert made.history_.negatives.tolist() == [1, 0, 2]
    contexts, rewards = made.history_.observations(2)
    assert contexts.tolist() == [[1, 0], [0, 1]]
    assert rewards.tolist() == [0, 0]
    assert made.history_.observations(0)[0].tolist() == [[1, 0]]


def test_policy_without_oracle_keeps_counts_and_no_rows():
    made = Policy(n_arms=2, oracle=None)
    made.update(X, [0, 0], [1, 0], np.random.default_rng(0))
    assert made.history_.positives.tolist() == [1, 0]
    assert made.history_.n_rows == 0


# --- indices and choosers at work


def test_index_and_chooser_are_composed():
    scores = [[0.1, 0.9], [0.6, 0.6], [0.0, 0.2]]
    assert decide(policy(scores, index=Mean()))[0].arm == 1
    assert decide(policy(scores, index=UpperPercentile(percentile=100)))[0].arm == 0
    assert decide(policy(scores, index=UpperPercentile(percentile=0)))[0].arm == 1


@pytest.mark.statistical
def test_thompson_sampling_plays_arms_as_often_as_their_resamples_win():
    # Arm 0 draws .1 or .7, arm 1 draws .3 or .5, arm 2 always .4, each with probability 1/2.
    # Arm 0 wins with its .7: 1/2. Else arm 1 with its .5: 1/4, or arm 2: 1/4.
    made = policy([[0.1, 0.7], [0.3, 0.5], [0.4, 0.4]], index=RandomResample())
    decisions = decide(made, 4000)
    assert_shares(arms_of(decisions), [0.5, 0.25, 0.25])
    assert {decision.index for decision in decisions} == {0.7, 0.5, 0.4}


@pytest.mark.statistical
def test_thompson_sampling_of_fitted_resamples_has_closed_form_probabilities():
    made = BootstrappedTS(3, n_resamples=4, weights="gamma(1,1)", cold_start=MABFirst(a=1, b=1))
    rng = np.random.default_rng(1)
    contexts = rng.normal(size=(36, 2))
    made.update(contexts, np.arange(36) % 3, rng.integers(2, size=36), rng)
    scores = made.score(X)[0]  # (3, 4), all different
    expected = np.zeros(3)
    for drawn in np.ndindex(4, 4, 4):
        expected[scores[np.arange(3), drawn].argmax()] += 1 / 4**3
    assert (expected > 0.05).sum() >= 2
    assert_shares(arms_of(decide(made, 4000)), expected)


@pytest.mark.statistical
def test_mab_first_thompson_sampling_of_two_cold_arms_wins_as_often_as_beta_draws_do():
    # P(U1 > U2) for Beta(2, 1) against uniform is 2/3.
    made = Policy(n_arms=2, oracle=None, cold_start=MABFirst(a=1, b=1))
    made.history_.positives[:] = [1, 0]
    assert_shares(arms_of(decide(made, 4000)), [2 / 3, 1 / 3])


# --- propensities


@pytest.mark.statistical
@pytest.mark.parametrize(
    "chooser",
    [
        EpsilonMix(explore_probability=0.4),
        SoftmaxDraw(multiplier=0.7, inflation=1.0),
    ],
)
def test_stated_propensities_are_the_frequencies_of_the_arms(chooser):
    decisions = decide(policy([0.2, 0.5, 0.6], chooser=chooser), 4000)
    arms, stated = arms_of(decisions), np.array([d.propensity for d in decisions])
    expected = np.array([stated[arms == arm][0] for arm in range(3)])
    np.testing.assert_allclose(stated, expected[arms])
    assert expected.sum() == pytest.approx(1)
    assert_shares(arms, expected)


COLD = {"arms": [0], "n_arms": 2, "cold_start": MABFirst(a=1, b=1), "counts": ([9, 0], [9, 0])}


@pytest.mark.parametrize(
    ("made", "known"),
    [
        (lambda: policy([0.2, 0.5]), True),
        (lambda: policy([[0.2, 0.3], [0.5, 0.6]], index=UpperPercentile()), True),
        (lambda: policy([0.5], arms=[0], n_arms=2), True),
        (lambda: policy([0.5], arms=[0], n_arms=2, cold_start=Smoothing(a=1, b=3)), True),
        (lambda: policy([0.5], **COLD), False),
        (lambda: policy([[0.2, 0.3], [0.5, 0.6]], index=RandomResample()), False),
        (lambda: policy([0.5], **COLD, chooser=EpsilonMix(explore_probability=0.2)), False),
        (lambda: policy([0.5], **COLD, chooser=SoftmaxDraw()), False),
        (lambda: policy([0.5], **COLD, chooser=RandomThenBest(turning_point=9)), True),
    ],
)
def test_propensity_is_missing_where_draws_enter_and_the_choice_looks_at_them(made, known):
    assert np.isfinite(decide(made())[0].propensity) == known


# --- looking


@given(st.lists(st.integers(0, 1), min_size=2, max_size=30), st.integers(0, 50))
def test_score_changes_nothing_and_repeats_itself(rewards, seed):
    made = Greedy(3, cold_start=MABFirst(a=1, b=1, m=1))
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(len(rewards), 2))
    made.update(contexts, rng.integers(3, size=len(rewards)), rewards, rng)
    first = made.score(contexts)
    np.testing.assert_array_equal(made.score(contexts), first)
    np.testing.assert_array_equal(made.score(sparse.csr_array(contexts)).round(12), first.round(12))


# --- live use of one buffer


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_buffer_that_is_filled_anew_for_each_block_is_stored_each_time(make):
    rng = np.random.default_rng(0)
    made = Greedy(2)
    buffer = make([[1.0, 2.0]])
    for value in (1.0, 3.0, 5.0):
        (buffer if isinstance(buffer, np.ndarray) else buffer.data)[...] = value
        made.prepare(buffer)
        made.update(buffer, [1], [0], rng)
    contexts = made.history_.observations(1)[0]
    assert contexts.sum(axis=1).tolist() == [2, 6, 10]


# --- bad input


def fresh():
    return Greedy(3)


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda p: p.select(np.zeros((0, 2)), RNG), "block without contexts"),
        (lambda p: p.select([1.0, 2.0], RNG), "write x.reshape"),
        (lambda p: p.select([[np.nan, 2.0]], RNG), "contexts must be finite, got nan"),
        (lambda p: p.score([[np.inf, 2.0]]), "contexts must be finite, got inf"),
        (lambda p: p.update(X, [0, 1], [0, 0.5], RNG), "rewards must be 0 or 1, got 0.5"),
        (lambda p: p.update(X, [0, 1], [0, -1], RNG), "got -1"),
        (lambda p: p.update(X, [0, 3], [0, 1], RNG), r"arms must be in \[0, 2\], got 3"),
        (lambda p: p.update(X, [0, -1], [0, 1], RNG), "got -1"),
        (lambda p: p.update(X, [0], [0, 1], RNG), "got 2, 1 and 2"),
        (lambda p: p.update(X, [0, 1], [0], RNG), "got 2, 2 and 1"),
        (lambda p: p.update(X[:1], [0, 1], [0, 1], RNG), "got 1, 2 and 2"),
        (lambda p: p.update(np.zeros((0, 2)), [], [], RNG), "update got an empty block"),
        (lambda p: p.update([[1.0, np.nan]], [0], [1], RNG), "contexts must be finite, got nan"),
    ],
)
def test_bad_blocks_are_refused_and_leave_no_trace(act, message):
    made = fresh()
    with pytest.raises(ValueError, match=message):
        act(made)
    assert made.history_.positives.sum() + made.history_.negatives.sum() == 0
    assert not made.history_.changed
    assert made.n_features_ is None


@pytest.mark.parametrize("look", [lambda p, x: p.score(x), lambda p, x: p.select(x, RNG)])
def test_contexts_of_another_width_are_refused_once_one_is_known(look):
    made = fresh()
    made.update(X, [0, 1], [0, 1], RNG)
    with pytest.raises(ValueError, match="contexts so far had 2 features, got 3"):
        look(made, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="contexts so far had 2 features, got 1"):
        made.update(np.zeros((1, 1)), [0], [1], RNG)
    assert made.history_.positives.sum() == 1


def test_scores_have_all_resamples_before_any_arm_is_fitted():
    made = BootstrappedTS(3, n_resamples=5, cold_start=None)
    assert made.score(X).shape == (2, 3, 5)
    made.update(X, [1, 1], [0, 1], RNG)
    assert made.score(X).shape == (2, 3, 5)
    assert Policy(n_arms=3, oracle=None).score(X).shape == (2, 3, 1)


def test_scores_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="the oracle of bad scored a context as NaN or infinite"):
        policy([0.5, np.nan], name="bad").prepare(X)


@pytest.mark.parametrize("n_arms", [1, 0, -2, 2.5, 3.0, None, True])
def test_fewer_than_two_arms_are_refused(n_arms):
    with pytest.raises(ValueError, match="n_arms must be a whole number of at least 2"):
        Policy(n_arms=n_arms, oracle=None)


def test_parameters_are_kept_as_they_were_given():
    oracle = LogisticOracle(resampling=Resampling(kind="poisson"))
    prior = MABFirst(a=3, b=7)
    made = Policy(n_arms=2, oracle=oracle, cold_start=(prior,), index=UpperPercentile())
    assert made.oracle is oracle
    assert made.cold_start == (prior,)
