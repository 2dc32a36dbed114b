"""Live use: saving, loading and continuing; arms that arrive and expire."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse

from cbkit import (
    BestArmInHindsight,
    BestArmOnline,
    BootstrappedTS,
    BootstrappedUCB,
    ContextualAdaptiveGreedy2,
    EpsilonGreedy,
    Greedy,
    MABFirst,
    MultilabelDataset,
    OnlineBootstrappedUCB,
    Policy,
    Smoothing,
    SoftmaxExplorer,
    make_policy,
    policy_names,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 4))
LABELS = (X @ rng.normal(size=(4, 3)) > 0).astype(int)
DATA = MultilabelDataset.from_arrays(X, LABELS)
QUICK = MABFirst(a=1, b=1, m=1)


def live(policy, rng, blocks, matrix=X):
    """Select and update block by block; return all arms chosen."""
    chosen = []
    for block in blocks:
        rows = slice(20 * block, 20 * block + 20)
        arms = policy.select(matrix[rows], rng)
        policy.update(matrix[rows], arms, LABELS[rows][np.arange(20), arms], rng)
        chosen.extend(arms.tolist())
    return chosen


def overrides(name, **more):
    return {"cold_start": QUICK, **more} if name not in ("RandomArm", "BestArmInHindsight") else {}


# --- saving and loading


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", policy_names())
def test_saving_loading_and_continuing_equals_never_having_stopped(name, kind):
    straight, stopped = (make_policy(name, DATA, **overrides(name)) for _ in range(2))
    matrix = kind(X)
    draws = np.random.default_rng(5)
    expected = live(straight, draws, range(8), matrix)
    draws = np.random.default_rng(5)
    arms = live(stopped, draws, range(4), matrix)
    loaded, draws = pickle.loads(pickle.dumps((stopped, draws)))
    assert arms + live(loaded, draws, range(4, 8), matrix) == expected
    np.testing.assert_array_equal(loaded.score(matrix[:3]), straight.score(matrix[:3]))


@pytest.mark.parametrize("oracle", ["streaming-logistic", "naive Bayes"])
def test_other_oracles_continue_after_loading_too(oracle):
    from sklearn.naive_bayes import GaussianNB

    oracle = GaussianNB() if oracle == "naive Bayes" else oracle
    straight, stopped = (EpsilonGreedy(3, oracle=oracle, cold_start=QUICK) for _ in range(2))
    expected = live(straight, np.random.default_rng(5), range(6))
    draws = np.random.default_rng(5)
    arms = live(stopped, draws, range(3))
    assert arms + live(pickle.loads(pickle.dumps(stopped)), draws, range(3, 6)) == expected


def test_stopping_between_choices_and_refit_loses_nothing():
    policies = [Greedy(3, cold_start=QUICK) for _ in range(2)]
    for policy in policies:
        policy.record(X, 0, 1, 1)
    policies[1] = pickle.loads(pickle.dumps(policies[1]))
    for policy in policies:
        policy.record(X, 1, 1, 0)
        policy.refit(np.random.default_rng(0))
    np.testing.assert_array_equal(*(policy.score(X[:5]) for policy in policies))


def test_schedules_are_saved_with_the_policy():
    policy = EpsilonGreedy(3, explore_probability=0.5, decay=0.9)
    policy.select(X[:10], np.random.default_rng(0))
    loaded = pickle.loads(pickle.dumps(policy))
    assert loaded.chooser.probability_ == pytest.approx(0.5 * 0.9**10)


def test_a_copy_learns_by_itself():
    policy = Greedy(3, cold_start=QUICK)
    live(policy, np.random.default_rng(0), range(3))
    before = policy.score(X[:5])
    twin = copy.deepcopy(policy)
    live(twin, np.random.default_rng(0), range(3, 6))
    np.testing.assert_array_equal(policy.score(X[:5]), before)
    assert policy.history_.positives.sum() < twin.history_.positives.sum()


# --- select and update


def test_select_moves_schedules_once_per_context():
    policy = SoftmaxExplorer(3, multiplier=1.0, inflation=1.5)
    policy.select(X[:4], np.random.default_rng(0))
    assert policy.chooser.multiplier_ == pytest.approx(1.5**4)
    policy.update(X[:4], [0, 1, 2, 0], [1, 0, 0, 0], np.random.default_rng(0))
    policy.score(X)
    assert policy.chooser.multiplier_ == pytest.approx(1.5**4)


def test_live_use_in_blocks_plays_as_batch_feedback_does():
    from cbkit import simulate

    log = simulate(Greedy(3, cold_start=QUICK), DATA, seed=0, refit_every=20, feedback="batch")
    policy = Greedy(3, cold_start=QUICK)
    draws = np.random.default_rng(np.random.SeedSequence(0).spawn(2)[1])
    rows = log.rounds["row"].to_numpy()
    for start in range(0, 240, 20):
        block = rows[start : start + 20]
        arms = policy.select(X[block], draws)
        assert arms.tolist() == log.rounds["arm"][start : start + 20].tolist()
        policy.update(X[block], arms, LABELS[block, arms], draws)


def test_rewards_may_come_late_in_another_grouping_and_for_arms_chosen_elsewhere():
    together, apart = Greedy(3, cold_start=None), Greedy(3, cold_start=None)
    arms = np.arange(60) % 3
    together.update(X[:60], arms, LABELS[np.arange(60), arms], rng)
    for rows in (slice(0, 7), slice(7, 8), slice(8, 60)):
        index = np.arange(60)[rows]
        apart.update(X[rows], arms[rows], LABELS[index, arms[rows]], rng)
    np.testing.assert_allclose(apart.score(X), together.score(X), atol=1e-3)


# --- arms that arrive and expire


POLICIES = {
    "greedy with prior": lambda: Greedy(3, cold_start=QUICK),
    "greedy without": lambda: Greedy(3, cold_start=None),
    "smoothing": lambda: Greedy(3, cold_start=Smoothing(a=1, b=10)),
    "kept resamples": lambda: OnlineBootstrappedUCB(3, n_resamples=3, cold_start=QUICK),
    "fresh resamples": lambda: BootstrappedTS(3, n_resamples=3, cold_start=QUICK),
    "streaming": lambda: Greedy(3, oracle="streaming-logistic", cold_start=QUICK),
    "adaptive": lambda: ContextualAdaptiveGreedy2(3, window=5, cold_start=QUICK),
}


def trained(make):
    policy = make()
    draws = np.random.default_rng(0)
    arms = np.arange(90) % 3
    policy.update(X[:90], arms, LABELS[np.arange(90), arms], draws)
    policy.select(X[:30], draws)
    return policy


def chooser_state(policy):
    return {name: value for name, value in vars(policy.chooser).items() if name.endswith("_")}


@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_adding_an_arm_keeps_every_other_arms_state(make):
    policy, untouched = trained(make), trained(make)
    assert policy.add_arm() == 3
    assert policy.n_arms == 4
    scores = policy.score(X)
    np.testing.assert_array_equal(scores[:, :3], untouched.score(X))
    assert np.isnan(scores[:, 3]).all()
    assert policy.history_.positives.tolist() == [*untouched.history_.positives, 0]
    assert policy.history_.negatives.tolist() == [*untouched.history_.negatives, 0]
    assert chooser_state(policy) == chooser_state(untouched)


@pytest.mark.parametrize("arm", [0, 1, 2])
@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_dropping_an_arm_keeps_every_other_arms_state(make, arm):
    policy, untouched = trained(make), trained(make)
    policy.drop_arm(arm)
    others = [other for other in range(3) if other != arm]
    assert policy.n_arms == 2
    np.testing.assert_allclose(policy.score(X), untouched.score(X)[:, others], rtol=1e-12)
    positives, negatives = untouched.history_.positives, untouched.history_.negatives
    assert policy.history_.positives.tolist() == positives[others].tolist()
    assert policy.history_.negatives.tolist() == negatives[others].tolist()
    assert chooser_state(policy) == chooser_state(untouched)


@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_remaining_arms_learn_on_as_if_nothing_had_happened(make):
    policy, untouched = trained(make), trained(make)
    policy.drop_arm(0)
    policy.add_arm()
    for each, shift in ((policy, 1), (untouched, 0)):
        draws = np.random.default_rng(3)
        each.update(X[90:120], np.full(30, 2 - shift), LABELS[90:120, 2], draws)
    np.testing.assert_allclose(policy.score(X)[:, :2], untouched.score(X)[:, 1:], rtol=1e-9)


@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_new_arm_is_played_and_learned(make):
    policy = trained(make)
    new = policy.add_arm()
    draws = np.random.default_rng(0)
    policy.update(X[:40], np.full(40, new), LABELS[:40, 0], draws)
    scores = policy.score(X)[:, new].mean(axis=1)
    assert np.mean((scores > 0.5) == LABELS[:, 0]) > 0.8
    assert set(policy.select(X, draws)) <= set(range(4))


def test_observations_that_wait_for_a_refit_follow_their_arm():
    policy = Greedy(3, cold_start=None)
    for row, reward in ((0, 0), (1, 1)):
        policy.record(X, row, 2, reward)
        policy.record(X, row, 0, reward)
    policy.drop_arm(0)
    policy.refit(rng)
    assert np.isfinite(policy.score(X)).all(axis=(0, 2)).tolist() == [False, True]


def test_constants_per_arm_come_and_go_with_their_arms():
    prior, smooth = MABFirst(a=[1, 2, 3], b=7), Smoothing(a=1, b=[10, 20, 30])
    policy = Greedy(3, cold_start=(prior, smooth))
    policy.add_arm(a=4, b=40)
    policy.drop_arm(1)
    assert policy.cold_start_.mab_first.a.tolist() == [1, 3, 4]
    assert policy.cold_start_.mab_first.b == 7
    assert policy.cold_start_.smoothing.b.tolist() == [10, 30, 40]
    assert policy.cold_start[0].a.tolist() == [1, 3, 4]
    assert policy.cold_start[1].b.tolist() == [10, 30, 40]
    live_arms = policy.select(X, np.random.default_rng(0))
    assert set(live_arms) == {0, 1, 2}


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({}, r"MABFirst has a value of a per arm: write add_arm\(a="),
        ({"a": 4}, r"Smoothing has a value of b per arm: write add_arm\(b="),
        ({"a": 0, "b": 40}, "a must be greater than 0"),
        ({"a": 4, "b": 1}, "smoothing needs a < b"),
        ({"a": 4, "b": 40, "m": 2}, "add_arm got m, but the cold start has no such constants"),
    ],
)
def test_refused_arm_leaves_the_policy_as_it_was(constants, message):
    policy = Greedy(3, cold_start=(MABFirst(a=[1, 2, 3], b=7), Smoothing(a=1, b=[10, 20, 30])))
    with pytest.raises(ValueError, match=message):
        policy.add_arm(**constants)
    assert (policy.n_arms, policy.history_.n_arms) == (3, 3)
    assert len(policy.cold_start_.mab_first.a) == len(policy.cold_start_.smoothing.b) == 3
    policy.select(X, np.random.default_rng(0))


@pytest.mark.parametrize(
    "cold_start", [None, QUICK, Smoothing(a=1, b=10), MABFirst(a=[1, 2, 3], b=1)]
)
def test_a_changed_policy_can_be_made_anew_from_its_parameters(cold_start):
    policy = Greedy(3, cold_start=cold_start)
    policy.drop_arm(0)
    twin = Greedy(policy.n_arms, cold_start=policy.cold_start)
    arms = [each.select(X, np.random.default_rng(0)).tolist() for each in (policy, twin)]
    assert arms[0] == arms[1]


def test_constants_for_all_arms_are_not_asked_for_again():
    with pytest.raises(ValueError, match="add_arm got a, b, but the cold start has no such"):
        Greedy(3, cold_start=QUICK).add_arm(a=1, b=1)


def test_fixed_arm_is_followed_and_cannot_be_dropped():
    policy = BestArmInHindsight(4, arm=2)
    with pytest.raises(ValueError, match="arm 2 is the one this policy always plays"):
        policy.drop_arm(2)
    assert (policy.n_arms, policy.history_.n_arms) == (4, 4)
    policy.drop_arm(0)
    assert set(policy.select(X, np.random.default_rng(0))) == {1}
    policy.drop_arm(2)
    assert set(policy.select(X, np.random.default_rng(0))) == {1}


@pytest.mark.parametrize("arm", [-1, 3, 1.0, "1", None, [1]])
def test_dropping_what_is_no_arm_is_refused(arm):
    policy = Greedy(3)
    with pytest.raises(ValueError, match="arms must be"):
        policy.drop_arm(arm)
    assert policy.n_arms == 3


def test_last_two_arms_cannot_be_dropped():
    policy = BestArmOnline(2)
    with pytest.raises(ValueError, match="a policy needs at least 2 arms"):
        policy.drop_arm(0)
    assert policy.n_arms == 2


def test_arms_may_come_and_go_for_long():
    policy = BootstrappedUCB(3, n_resamples=2, cold_start=QUICK)
    draws = np.random.default_rng(0)
    for block in range(12):
        rows = slice(20 * block, 20 * block + 20)
        arms = policy.select(X[rows], draws)
        policy.update(X[rows], arms, draws.integers(2, size=20), draws)
        if block % 2:
            policy.drop_arm(int(draws.integers(policy.n_arms)))
        policy.add_arm()
        if policy.n_arms > 4:
            policy.drop_arm(0)
        assert policy.history_.n_arms == policy.n_arms == policy.score(X[:1]).shape[1]
        assert policy.oracle.fitted_arms.max(initial=-1) < policy.n_arms


def test_policies_of_ones_own_parts_pickle():
    policy = Policy(n_arms=3, oracle=None, cold_start=QUICK)
    live(policy, np.random.default_rng(0), range(2))
    loaded = pickle.loads(pickle.dumps(policy))
    assert live(loaded, np.random.default_rng(1), range(2, 4)) == live(
        policy, np.random.default_rng(1), range(2, 4)
    )
