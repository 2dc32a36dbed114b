"""Where resamples move a policy: bounds up, with percentile and number, and choices about."""

import numpy as np
import pytest
from sampling import assert_mean
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from cbkit import (
    BootstrappedTS,
    BootstrappedUCB,
    MABFirst,
    OnlineBootstrappedTS,
    OnlineBootstrappedUCB,
)

CONTEXTS = np.random.default_rng(1).normal(size=(30, 2))


def taught(make, n_arms=4, n_rows=60, **options):
    """Make a policy of warm arms, from the same rows, arms, rewards and seed of the weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_arms * n_rows, 2))
    arms = np.arange(len(X)) % n_arms
    logits = (X * rng.normal(size=(n_arms, 2))[arms]).sum(axis=1)
    rewards = rng.random(len(X)) < 1 / (1 + np.exp(-logits))
    made = make(n_arms, cold_start=MABFirst(a=1, b=1, m=2), **options)
    made.update(X, arms, rewards.astype(int), np.random.default_rng(2))
    assert not made.prepare(CONTEXTS).is_cold.any()
    return made


def looks(made, row, n_looks, seed=0):
    """Choose for one context again and again; the decisions."""
    rng = np.random.default_rng(seed)
    block = made.prepare(CONTEXTS)
    return [made.choose(block, row, rng) for _ in range(n_looks)]


# --- upper bounds


@pytest.mark.parametrize("make", [BootstrappedUCB, OnlineBootstrappedUCB])
@pytest.mark.parametrize("oracle", ["logistic", DecisionTreeClassifier(max_depth=2)], ids=str)
def test_bounds_rise_with_the_percentile_wherever_the_resamples_between_differ(make, oracle):
    blocks = [
        taught(make, oracle=oracle, percentile=percentile).prepare(CONTEXTS)
        for percentile in (50, 80, 95)
    ]
    scores = np.sort(blocks[0].scores, axis=2)
    for block in blocks:
        np.testing.assert_array_equal(np.sort(block.scores, axis=2), scores)
    rises = np.diff([block.indices for block in blocks], axis=0)
    # Of resamples 0 to 9, the percentiles lie between 4 and 5, 7 and 8, 8 and 9.
    gaps = np.array([scores[..., 8] - scores[..., 4], scores[..., 9] - scores[..., 7]])
    assert (gaps > 1e-9).all() == (oracle == "logistic")
    assert (rises >= -1e-12).all()
    np.testing.assert_array_equal(rises > 1e-9, gaps > 1e-9)
    assert (rises.mean(axis=(1, 2)) > 0.01).all()


def expected_bound(n, share=0.8):
    """Expect of n normal draws: (interpolated percentile - mean) / standard deviation.

    The ratio is independent of the standard deviation (Basu), so that its expectation is that of
    the percentile by that of the standard deviation.
    """
    below = int(share * (n - 1))  # how many draws are below the lower of the two
    lower, upper = (stats.beta(1 + k, n - k).expect(stats.norm.ppf) for k in (below, below + 1))
    weight = share * (n - 1) - below
    deviation = stats.chi(n - 1).mean() / np.sqrt(n - 1)
    return ((1 - weight) * lower + weight * upper) / deviation


def test_expected_bounds_by_hand_and_in_the_limit():
    # Of 3 draws the largest is 1.5 / sqrt(pi) on average, the middle one 0, the deviation
    # sqrt(pi) / 2; the percentile is 0.6 of the way between the two.
    assert expected_bound(3) == pytest.approx(1.8 / np.pi)
    assert expected_bound(2000) == pytest.approx(stats.norm.ppf(0.8), abs=1e-3)


@pytest.mark.statistical
@pytest.mark.parametrize("make", [BootstrappedUCB, OnlineBootstrappedUCB])
def test_bounds_rise_with_the_number_of_resamples_as_percentiles_of_normal_draws_do(make):
    bounds = []
    for n_resamples in (3, 10, 30):
        made = taught(make, n_arms=200, n_rows=100, n_resamples=n_resamples)
        block = made.prepare(np.vstack([CONTEXTS, -CONTEXTS]))  # scores near 0 and 1 are skewed
        mean, spread = block.scores.mean(axis=2), block.scores.std(axis=2, ddof=1)
        by_arm = ((block.indices - mean) / spread).mean(axis=0)  # arms have weights of their own
        assert_mean(by_arm, expected_bound(n_resamples), by_arm.std())
        bounds.append(by_arm.mean())
    assert (np.diff(bounds) > 0).all()


# --- Thompson sampling; how often arms are played is in test_policies.py


@pytest.mark.parametrize("make", [BootstrappedTS, OnlineBootstrappedTS])
def test_one_resample_is_played_greedily_at_every_look(make):
    made = taught(make, n_resamples=1)
    scores = made.score(CONTEXTS)[:, :, 0]
    assert len(set(scores.argmax(axis=1))) > 1
    for row, expected in enumerate(scores):
        for decision in looks(made, row, 20):
            assert decision.arm == expected.argmax() and decision.index == expected.max()


@pytest.mark.parametrize("make", [BootstrappedTS, OnlineBootstrappedTS])
def test_more_resamples_vary_the_arm_exactly_where_their_ranges_overlap(make):
    made = taught(make, n_arms=2, n_resamples=3)
    scores = made.score(CONTEXTS)  # (30, 2, 3); who can win does so in 1 of 9 looks
    wins = scores.max(axis=2) > scores.min(axis=2)[:, ::-1]
    assert 0 < wins.all(axis=1).sum() < len(wins)
    for row, can_win in enumerate(wins):
        played = {decision.arm for decision in looks(made, row, 200)}
        assert played == set(np.flatnonzero(can_win))
