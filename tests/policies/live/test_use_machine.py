"""Any sequence of live calls keeps a policy whole: a machine plays it beside a plain model."""

import pickle
import tempfile

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pytest import raises

from cbkit import (
    BootstrappedUCB,
    EpsilonGreedy,
    Greedy,
    MABFirst,
    OnlineBootstrappedUCB,
    Smoothing,
    load_policy,
    save_policy,
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
    """A policy that is saved and loaded, one that never is, and a model that knows what was played.

    The model's arms are ``name: [positives, negatives, fitted, b]``, the last for constants per
    arm, and its decisions ``id: (row, name)``.
    """

    @initialize(name=st.sampled_from(sorted(POLICIES)), cold=st.sampled_from(sorted(COLD_STARTS)))
    def start(self, name, cold):
        cold_start, self.least = COLD_STARTS[cold]
        self.has_prior, self.per_arm = cold != "none", cold == "per arm"
        self.policy, self.straight = (POLICIES[name](3, cold_start=cold_start) for _ in range(2))
        self.rng, self.straight_rng = (np.random.default_rng(7) for _ in range(2))
        self.arms = {name: [0, 0, False, 10 * name + 10] for name in range(3)}
        self.decisions, self.gone = {}, []
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

    def named(self, number):
        return list(self.arms)[number % len(self.arms)]

    @rule(
        rows=st.lists(st.integers(0, 11), min_size=1, max_size=6),
        allowed=st.none() | st.sets(st.integers(0, 9), min_size=1, max_size=3),
        kept=st.booleans(),
    )
    def select(self, rows, allowed, kept):
        before = self.policy.score(CONTEXTS)
        names = set(self.arms) if allowed is None else {self.named(number) for number in allowed}
        options = {"allowed": None if allowed is None else names, "return_decisions": kept}
        call = (CONTEXTS[rows], self.rng), (CONTEXTS[rows], self.straight_rng)
        chosen = self.policy.select(*call[0], **options)
        same = self.straight.select(*call[1], **options)
        if kept:
            assert [decision.id for decision in chosen] == [decision.id for decision in same]
            assert not {decision.id for decision in chosen} & set(self.decisions)
            self.decisions |= {d.id: (row, d.arm) for row, d in zip(rows, chosen, strict=True)}
        arms, others = ([d.arm if kept else d for d in each] for each in (chosen, same))
        assert arms == others
        assert len(arms) == len(rows)
        assert set(arms) <= names
        np.testing.assert_array_equal(self.policy.score(CONTEXTS), before)
        self.rounds += len(rows)

    @rule(taken=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 1)), min_size=1, max_size=6))
    def rewards_of_decisions(self, taken):
        known = list(self.decisions)
        rewards = {known[at % len(known)]: reward for at, reward in taken if known}
        call = [list(rewards), list(rewards.values())]
        lost = [number for number in rewards if self.decisions[number][1] in self.gone]
        if lost or not rewards:
            with raises(ValueError, match="was dropped" if lost else "empty block"):
                self.policy.update(*call, self.rng)
            with raises(ValueError, match="was dropped" if lost else "empty block"):
                self.straight.update(*call, self.straight_rng)
            return
        self.both(lambda policy, rng: policy.update(*call, rng))
        for number, reward in rewards.items():
            self.note(self.decisions.pop(number)[1], reward)
        self.refitted()

    @precondition(lambda self: self.decisions)
    @rule(at=st.integers(0, 40))
    def discard(self, at):
        number = list(self.decisions)[at % len(self.decisions)]
        self.both(lambda policy, rng: policy.discard([number]))
        del self.decisions[number]
        with raises(ValueError, match="was discarded"):
            self.policy.discard([number])

    @rule(block=blocks)
    def update(self, block):
        rows, arms, rewards = (list(column) for column in zip(*block, strict=True))
        arms = [self.named(arm) for arm in arms]
        self.both(lambda policy, rng: policy.update(CONTEXTS[rows], arms, rewards, rng))
        for arm, reward in zip(arms, rewards, strict=True):
            self.note(arm, reward)
        self.refitted()

    @rule(row=st.integers(0, 11), arm=st.integers(0, 9), reward=st.integers(0, 1))
    def record_for_the_next_refit(self, row, arm, reward):
        position = arm % len(self.arms)
        self.both(lambda policy, rng: policy.record(CONTEXTS, row, position, reward))
        self.note(self.named(arm), reward)

    @precondition(lambda self: len(self.arms) < 6)
    @rule(b=st.integers(2, 40), text=st.booleans())
    def add_arm(self, b, text):
        constants = {"a": 1.5} | {"b": b} if self.per_arm else {}
        before = self.policy.score(CONTEXTS)
        ever = [*self.arms, *self.gone]
        expected = max([name for name in ever if isinstance(name, int)], default=-1) + 1
        name = f"arm {len(ever)}" if text else None
        given = self.policy.add_arm(name, **constants)
        assert given == self.straight.add_arm(name, **constants) == (name or expected)
        after = self.policy.score(CONTEXTS)
        np.testing.assert_array_equal(after[:, :-1], before)
        self.arms[given] = [0, 0, False, b]

    @precondition(lambda self: len(self.arms) > 2)
    @rule(arm=st.integers(0, 9))
    def drop_arm(self, arm):
        name = self.named(arm)
        before = self.policy.score(CONTEXTS)
        self.both(lambda policy, rng: policy.drop_arm(name))
        expected = np.delete(before, arm % len(self.arms), axis=1)
        np.testing.assert_allclose(self.policy.score(CONTEXTS), expected, rtol=1e-12)
        del self.arms[name]
        self.gone.append(name)
        self.waiting.discard(name)
        for use in (self.policy.drop_arm, self.policy.add_arm):
            with raises(ValueError, match="was dropped"):
                use(name)

    @rule()
    def pickle_and_load(self):
        self.policy, self.rng = pickle.loads(pickle.dumps((self.policy, self.rng)))

    @rule()
    def save_and_load(self):
        with tempfile.TemporaryDirectory() as folder:
            self.policy = load_policy(save_policy(self.policy, f"{folder}/a.policy"))

    @invariant()
    def counts_are_what_was_played(self):
        history = self.policy.history_
        counts = np.array([history.positives, history.negatives]).T.tolist()
        assert counts == [arm[:2] for arm in self.arms.values()]
        assert self.policy.arm_names == tuple(self.arms)
        assert self.policy.n_arms == history.n_arms == len(self.arms)

    @invariant()
    def decisions_wait_until_their_rewards_come(self):
        waiting = {decision.id: decision.arm for decision in self.policy.pending}
        assert waiting == {number: arm for number, (_, arm) in self.decisions.items()}

    @invariant()
    def fitted_arms_are_those_that_had_enough_at_a_refit(self):
        fitted = self.policy.oracle.fitted_arms.tolist()
        assert sorted(fitted) == [at for at, arm in enumerate(self.arms.values()) if arm[2]]
        assert self.policy.n_fitted_arms == len(fitted)

    @invariant()
    def scores_are_the_straight_policys_and_those_of_fitted_arms_alone(self):
        scores = self.policy.score(CONTEXTS)
        np.testing.assert_array_equal(scores, self.policy.score(CONTEXTS))
        np.testing.assert_array_equal(scores, self.straight.score(CONTEXTS))
        arms = self.arms.values()
        warm = [arm[2] and (not self.has_prior or min(arm[:2]) >= self.least) for arm in arms]
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
            assert self.policy.cold_start[1].b.tolist() == [arm[3] for arm in self.arms.values()]


TestLivePolicy = LivePolicy.TestCase
TestLivePolicy.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, derandomize=True
)
