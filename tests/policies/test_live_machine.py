"""Any sequence of live calls keeps a policy whole: a machine plays it beside a plain model."""

import pickle

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cbkit import (
    BootstrappedUCB,
    EpsilonGreedy,
    Greedy,
    MABFirst,
    OnlineBootstrappedUCB,
    Smoothing,
)

CONTEXTS = np.random.default_rng(0).normal(size=(12, 3))
POLICIES = {
    "greedy": Greedy,
    "epsilon": lambda n, **cold: EpsilonGreedy(n, explore_probability=0.5, decay=0.9, **cold),
    "resamples": lambda n, **cold: BootstrappedUCB(n, n_resamples=3, **cold),
    "kept resamples": lambda n, **cold: OnlineBootstrappedUCB(n, n_resamples=2, **cold),
    "streaming": lambda n, **cold: OnlineBootstrappedUCB(
        n, n_resamples=2, oracle="streaming-logistic", kept=False, **cold
    ),
}
PER_ARM = MABFirst(a=[1, 2, 3], b=2, m=2), Smoothing(a=1, b=[10, 20, 30])
COLD_STARTS = {
    "none": (None, 1),
    "one for all": (MABFirst(a=1, b=3, m=1), 1),
    "per arm": (PER_ARM, 2),
}
blocks = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 9), st.booleans()), min_size=1, max_size=8
)


class LivePolicy(RuleBasedStateMachine):
    """A policy that is saved and loaded, one that never is, and counts that know what was played.

    The arms of the model are ``[positives, negatives, fitted, b]``, the last for constants per arm.
    """

    @initialize(name=st.sampled_from(sorted(POLICIES)), cold=st.sampled_from(sorted(COLD_STARTS)))
    def start(self, name, cold):
        cold_start, self.least = COLD_STARTS[cold]
        self.has_prior, self.per_arm = cold != "none", cold == "per arm"
        self.policy, self.straight = (POLICIES[name](3, cold_start=cold_start) for _ in range(2))
        self.rng, self.straight_rng = (np.random.default_rng(7) for _ in range(2))
        self.arms = [[0, 0, False, b] for b in (10, 20, 30)]
        self.waiting, self.rounds = set(), 0

    def both(self, call):
        """Do the same to the saved and to the straight policy."""
        one, other = call(self.policy, self.rng), call(self.straight, self.straight_rng)
        np.testing.assert_array_equal(one, other)
        return one

    def note(self, arm, reward):
        self.arms[arm][0 if reward else 1] += 1
        self.waiting.add(arm)

    def refitted(self):
        least = 1 if self.policy.oracle.streaming else self.least
        for arm in self.waiting:
            self.arms[arm][2] |= min(self.arms[arm][:2]) >= least
        self.waiting.clear()

    @rule(rows=st.lists(st.integers(0, 11), min_size=1, max_size=6))
    def select(self, rows):
        before = self.policy.score(CONTEXTS)
        arms = self.both(lambda policy, rng: policy.select(CONTEXTS[rows], rng))
        assert arms.shape == (len(rows),)
        assert set(arms) <= set(range(len(self.arms)))
        np.testing.assert_array_equal(self.policy.score(CONTEXTS), before)
        self.rounds += len(rows)

    @rule(block=blocks)
    def update(self, block):
        rows, arms, rewards = (list(column) for column in zip(*block, strict=True))
        arms = [arm % len(self.arms) for arm in arms]
        self.both(lambda policy, rng: policy.update(CONTEXTS[rows], arms, rewards, rng))
        for arm, reward in zip(arms, rewards, strict=True):
            self.note(arm, reward)
        self.refitted()

    @rule(row=st.integers(0, 11), arm=st.integers(0, 9), reward=st.integers(0, 1))
    def record_for_the_next_refit(self, row, arm, reward):
        arm %= len(self.arms)
        self.both(lambda policy, rng: policy.record(CONTEXTS, row, arm, reward))
        self.note(arm, reward)

    @precondition(lambda self: len(self.arms) < 6)
    @rule(b=st.integers(2, 40))
    def add_arm(self, b):
        constants = {"a": 1.5} | {"b": b} if self.per_arm else {}
        before = self.policy.score(CONTEXTS)
        assert self.both(lambda policy, rng: policy.add_arm(**constants)) == len(self.arms)
        after = self.policy.score(CONTEXTS)
        np.testing.assert_array_equal(after[:, :-1], before)
        self.arms.append([0, 0, False, b])

    @precondition(lambda self: len(self.arms) > 2)
    @rule(arm=st.integers(0, 9))
    def drop_arm(self, arm):
        arm %= len(self.arms)
        before = self.policy.score(CONTEXTS)
        self.both(lambda policy, rng: policy.drop_arm(arm))
        expected = np.delete(before, arm, axis=1)
        np.testing.assert_allclose(self.policy.score(CONTEXTS), expected, rtol=1e-12)
        del self.arms[arm]
        self.waiting = {other - (other > arm) for other in self.waiting if other != arm}

    @rule()
    def save_and_load(self):
        self.policy, self.rng = pickle.loads(pickle.dumps((self.policy, self.rng)))

    @invariant()
    def counts_are_what_was_played(self):
        history = self.policy.history_
        counts = np.array([history.positives, history.negatives]).T.tolist()
        assert counts == [arm[:2] for arm in self.arms]
        assert history.changed == self.waiting
        assert self.policy.n_arms == history.n_arms == len(self.arms)

    @invariant()
    def fitted_arms_are_those_that_had_enough_at_a_refit(self):
        fitted = self.policy.oracle.fitted_arms.tolist()
        assert sorted(fitted) == [at for at, arm in enumerate(self.arms) if arm[2]]
        assert self.policy.n_fitted_arms == len(fitted)

    @invariant()
    def scores_are_the_straight_policys_and_those_of_fitted_arms_alone(self):
        scores = self.policy.score(CONTEXTS)
        np.testing.assert_array_equal(scores, self.policy.score(CONTEXTS))
        np.testing.assert_array_equal(scores, self.straight.score(CONTEXTS))
        over = [not self.has_prior or min(arm[:2]) >= self.least for arm in self.arms]
        warm = [arm[2] and ready for arm, ready in zip(self.arms, over, strict=True)]
        assert np.isfinite(scores).all(axis=(0, 2)).tolist() == warm
        assert np.isnan(scores[:, ~np.array(warm)]).all()

    @invariant()
    def schedules_count_the_rounds_played(self):
        if hasattr(self.policy.chooser, "probability_"):
            assert np.isclose(self.policy.chooser.probability_, 0.5 * 0.9**self.rounds)
        assert self.policy.n_choices_ == self.rounds

    @invariant()
    def constants_belong_to_their_arms(self):
        if self.per_arm:
            assert self.policy.cold_start[1].b.tolist() == [arm[3] for arm in self.arms]


TestLivePolicy = LivePolicy.TestCase
TestLivePolicy.settings = settings(
    max_examples=40, stateful_step_count=30, deadline=None, derandomize=True
)
