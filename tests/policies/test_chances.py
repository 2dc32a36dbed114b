"""Exact propensities of every policy: against its own choices, and against many draws."""

import numpy as np
import pytest
from sampling import assert_shares

from cbkit import MABFirst, MultilabelDataset, Smoothing, make_policy, policy_names

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 4))
LABELS = (X @ rng.normal(size=(4, 4)) > 0.5).astype(int)
DATA = MultilabelDataset.from_arrays(X, LABELS)
NAMES = policy_names()
COLD_STARTS = {
    "none": None,
    "soon over": MABFirst(a=1, b=3, m=2),
    "never over": MABFirst(a=3, b=7, m=99),
    "smoothing": Smoothing(a=1, b=10),
    "both": (MABFirst(a=[1, 1, 2, 2], b=3, m=7), Smoothing(a=1, b=10)),
}
MASK = np.array([True, False, True, True])
WITHOUT = ("RandomArm", "BestArmInHindsight")  # a cold start


def learned(name, cold_start, **more):
    """A policy that has learned from 80 rounds: the first arm little, the last one nothing."""
    cold = {} if name in WITHOUT else {"cold_start": cold_start}
    if "Bootstrapped" in name or name == "Bagging":
        more["n_resamples"] = 4
    policy = make_policy(name, DATA, **cold, **more)
    arms = np.where(np.arange(80) < 6, 0, np.arange(80) % 2 + 1)
    policy.update(X[:80], arms, LABELS[np.arange(80), arms], np.random.default_rng(1))
    return policy


def cold_starts_of(name):
    if name in WITHOUT:
        return ["none"]
    return ["soon over", "never over"] if name == "BestArmOnline" else list(COLD_STARTS)


CASES = [(name, cold) for name in NAMES for cold in cold_starts_of(name)]
# Over Beta draws, what weighs all numbers, or explores by a criterion of them.
NO_EXACT_FORM = ("SoftmaxExplorer", "SquareCB", "ActiveExplorer", "ActiveAdaptiveGreedy")
NEVER_EXACT = ("LogisticTS", "LinTS")  # normal draws of each arm


@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "some"])
@pytest.mark.parametrize(("name", "cold"), CASES)
def test_chances_sum_to_one_and_are_those_that_choices_know(name, cold, mask):
    if name == "BestArmInHindsight" and mask is not None and not mask[DATA.best_arm]:
        mask = ~mask
    policy = learned(name, COLD_STARTS[cold])
    block, draws = policy.prepare(X[80:]), np.random.default_rng(2)
    n_known = 0
    for row in range(20):
        chances = policy.chances(block, row, mask)
        np.testing.assert_array_equal(policy.chances(block, row, mask), chances)
        decision = policy.choose(block, row, draws, mask)
        if np.isnan(chances).any():
            assert np.isnan(chances).all()
            assert np.isnan(decision.propensity)
            continue
        assert (chances >= 0).all()
        assert chances.sum() == pytest.approx(1, abs=1e-9)
        assert mask is None or chances[~mask].sum() == 0
        assert chances[decision.arm] > 0
        n_known += 1
        if not np.isnan(decision.propensity):
            assert chances[decision.arm] == pytest.approx(decision.propensity, abs=1e-12)
    if name in NEVER_EXACT:
        assert n_known == 0
    elif name in NO_EXACT_FORM and cold in ("soon over", "never over", "both"):
        assert n_known < 20
    else:
        assert n_known == 20


@pytest.mark.parametrize("cold", ["none", "smoothing"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "BestArmOnline"])
def test_without_draws_every_choice_knows_its_chance(name, cold):
    policy = learned(name, COLD_STARTS[cold])
    if policy.index.random:
        pytest.skip("resamples are drawn")
    block, draws = policy.prepare(X[80:]), np.random.default_rng(2)
    for row in range(20):
        chances = policy.chances(block, row)
        decision = policy.choose(block, row, draws)
        assert decision.propensity == pytest.approx(chances[decision.arm], abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_looking_moves_nothing(name):
    looked, untouched = (learned(name, COLD_STARTS["soon over"]) for _ in range(2))
    choices = []
    for policy in (looked, untouched):
        block, draws = policy.prepare(X[80:]), np.random.default_rng(2)
        for row in range(20):
            if policy is looked:
                policy.chances(block, row)
            choices.append(policy.choose(block, row, draws)[:4])
    assert choices[:20] == choices[20:]


N_DRAWS = 50_000


def winners(values, draws):
    """The arm of the highest number in each row, ties at random."""
    tied = values == values.max(axis=1, keepdims=True)
    return (tied * draws.random(values.shape)).argmax(axis=1)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("name", "cold", "mask"),
    [
        ("Greedy", "soon over", None),
        ("Greedy", "both", MASK),
        ("BootstrappedTS", "none", None),
        ("BootstrappedTS", "both", MASK),
        ("Bagging", "none", None),
        ("Bagging", "both", MASK),
        ("EpsilonGreedy", "soon over", None),
        ("ContextualAdaptiveGreedy", "never over", None),
    ],
)
def test_chances_are_the_shares_of_many_draws(name, cold, mask):
    """The numbers that choosers see are drawn anew; the choosers' rules are written out here."""
    policy, draws = learned(name, COLD_STARTS[cold]), np.random.default_rng(7)
    block = policy.prepare(X[80:])
    row = int(np.argmin([policy.chances(block, row, mask).max() for row in range(20)]))  # open
    chances = policy.chances(block, row, mask)
    values = policy.scores(np.repeat(block.X[[row]], N_DRAWS, axis=0), draws)
    if mask is not None:
        values = np.where(mask, values, -1.0)
    arms = winners(values, draws)
    explores = np.zeros(N_DRAWS, dtype=bool)
    if name == "EpsilonGreedy":
        explores = draws.random(N_DRAWS) < policy.chooser.probability_
    elif name == "ContextualAdaptiveGreedy":
        policy.chooser.threshold_ = float(np.median(values.max(axis=1)))
        chances = policy.chances(block, row, mask)
        explores = values.max(axis=1) <= policy.chooser.threshold_
    arms = np.where(explores, draws.integers(4, size=N_DRAWS), arms)
    assert 0.01 < chances.max() < 0.999
    assert_shares(arms, chances)


def test_bagging_plays_each_arm_with_the_share_of_resamples_in_which_it_is_best():
    policy = learned("Bagging", Smoothing(a=1, b=2))
    block = policy.prepare(X[80:])
    values = np.empty((20, 4, 4))  # (n_rounds, n_arms, n_resamples), smoothed by hand
    n = policy.history_.positives + policy.history_.negatives
    values[:, block.warm] = block.scores
    values[:, block.cold] = 0.5
    values = (values * n[:, None] + 1) / (n[:, None] + 2)
    assert set(block.cold.tolist()) == {3}  # unplayed: 1/2
    shares = np.stack([(values.argmax(axis=1) == arm).mean(axis=1) for arm in range(4)], axis=1)
    found = np.array([policy.chances(block, row) for row in range(20)])
    assert ((found > 0) & (found < 1)).any()
    np.testing.assert_allclose(found, shares, atol=1e-12)
