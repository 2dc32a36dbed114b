"""Arms that arrive and expire: names that last, and everything else that follows its arm."""

import numpy as np
import pytest

from cbkit import (
    BestArmInHindsight,
    BestArmOnline,
    BootstrappedTS,
    BootstrappedUCB,
    ContextualAdaptiveGreedy2,
    Greedy,
    MABFirst,
    OnlineBootstrappedUCB,
    Policy,
    Smoothing,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 4))
LABELS = (X @ rng.normal(size=(4, 3)) > 0).astype(int)
QUICK = MABFirst(a=1, b=1, m=1)


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
    for each in (policy, untouched):
        draws = np.random.default_rng(3)
        each.update(X[90:120], np.full(30, 2), LABELS[90:120, 2], draws)
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
    assert set(policy.select(X, np.random.default_rng(0))) == {0, 2, 3}


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
    policy.add_arm("late", **({"a": 4} if np.ndim(getattr(cold_start, "a", 0)) else {}))
    twin = Policy(**policy.get_params())
    assert twin.arm_names == (1, 2, "late")
    arms = [each.select(X, np.random.default_rng(0)).tolist() for each in (policy, twin)]
    assert arms[0] == arms[1]


def test_constants_for_all_arms_are_not_asked_for_again():
    with pytest.raises(ValueError, match="add_arm got a, b, but the cold start has no such"):
        Greedy(3, cold_start=QUICK).add_arm(a=1, b=1)


def test_fixed_arm_is_followed_and_cannot_be_dropped():
    policy = BestArmInHindsight(4, arm=2)
    with pytest.raises(ValueError, match="the arm that the policy always plays"):
        policy.drop_arm(2)
    assert (policy.arm_names, policy.history_.n_arms) == ((0, 1, 2, 3), 4)
    for other in (0, 3):
        policy.drop_arm(other)
        assert set(policy.select(X, np.random.default_rng(0))) == {2}


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
            policy.drop_arm(draws.choice(policy.arm_names))
        policy.add_arm()
        if policy.n_arms > 4:
            policy.drop_arm(policy.arm_names[0])
        assert policy.history_.n_arms == policy.n_arms == policy.score(X[:1]).shape[1]
        assert policy.oracle.fitted_arms.max(initial=-1) < policy.n_arms


# --- names


def test_a_reward_goes_to_the_arm_that_had_the_name_or_is_refused():
    policy = Greedy(3)
    policy.drop_arm(1)
    with pytest.raises(ValueError, match="arm 1 was dropped; leave out what belongs to it"):
        policy.update(X[:2], [2, 1], [1, 1], rng)
    assert policy.history_.positives.tolist() == [0, 0]
    policy.update(X[:1], [2], [1], rng)
    assert policy.history_.positives.tolist() == [0, 1]
    assert policy.add_arm() == 3
    assert policy.arm_names == (0, 2, 3)


def test_arms_have_the_names_that_they_are_given():
    policy = Greedy(n_arms=["hats", "shoes"])
    policy.add_arm("ties")
    policy.drop_arm("hats")
    assert set(policy.select(X, np.random.default_rng(0))) == {"shoes", "ties"}
    for name, message in (("hats", "'hats' was dropped"), ("ties", "there is an arm 'ties'")):
        with pytest.raises(ValueError, match=message):
            policy.add_arm(name)
    assert policy.arm_names == ("shoes", "ties")
