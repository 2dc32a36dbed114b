"""Live use: choices, rewards that come late or never, masks, rankings, scores."""

import numpy as np
import pytest
from sampling import assert_mean
from scipy import sparse

from cbkit import (
    BestArmInHindsight,
    BootstrappedTS,
    BootstrappedUCB,
    EpsilonGreedy,
    Greedy,
    MABFirst,
    MultilabelDataset,
    OnlineBootstrappedUCB,
    Policy,
    RandomArm,
    Smoothing,
    SoftmaxExplorer,
    make_policy,
    policy_names,
    simulate,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 4))
LABELS = (X @ rng.normal(size=(4, 3)) > 0).astype(int)
DATA = MultilabelDataset.from_arrays(X, LABELS)
QUICK = MABFirst(a=1, b=1, m=1)
NAMES = ["hats", "shoes", "coats"]


def learned(make, seed=0):
    """A policy that has learned from 60 rounds."""
    policy, draws = make(), np.random.default_rng(seed)
    arms = np.arange(60) % 3
    names = np.array(policy.arm_names)[arms]
    policy.update(X[:60], names, LABELS[np.arange(60), arms], draws)
    return policy


def counts(policy):
    return np.stack([policy.history_.positives, policy.history_.negatives]).tolist()


# --- select and update


def test_select_moves_schedules_once_per_context():
    policy = SoftmaxExplorer(3, multiplier=1.0, inflation=1.5)
    policy.select(X[:4], np.random.default_rng(0))
    assert policy.chooser.multiplier_ == pytest.approx(1.5**4)
    policy.update(X[:4], [0, 1, 2, 0], [1, 0, 0, 0], np.random.default_rng(0))
    policy.score(X)
    assert policy.chooser.multiplier_ == pytest.approx(1.5**4)


def test_live_use_in_blocks_plays_as_batch_feedback_does():
    log = simulate(Greedy(3, cold_start=QUICK), DATA, seed=0, refit_every=20, feedback="batch")
    policy = Greedy(3, cold_start=QUICK)
    draws = np.random.default_rng(np.random.SeedSequence(0).spawn(2)[1])
    rows = log.rounds["row"].to_numpy()
    for start in range(0, 240, 20):
        block = rows[start : start + 20]
        arms = policy.select(X[block], draws)
        assert arms.tolist() == log.rounds["arm"][start : start + 20].tolist()
        policy.update(X[block], arms, LABELS[block, arms], draws)


def test_rewards_may_come_in_another_grouping_and_for_arms_chosen_elsewhere():
    together, apart = Greedy(3, cold_start=None), Greedy(3, cold_start=None)
    arms = np.arange(60) % 3
    together.update(X[:60], arms, LABELS[np.arange(60), arms], rng)
    for rows in (slice(0, 7), slice(7, 8), slice(8, 60)):
        index = np.arange(60)[rows]
        apart.update(X[rows], arms[rows], LABELS[index, arms[rows]], rng)
    np.testing.assert_allclose(apart.score(X), together.score(X), atol=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X[:2], ["hats"], [1, 0]), "as many contexts, arms and rewards; got 2, 1 and 2"),
        ((X[:2], ["hats", "ties"], [1, 0]), "no arm 'ties'; the arms are 'hats'"),
        ((X[:2], ["hats", "hats"], [1, 2]), "rewards must be 0 or 1"),
        ((X[:0], [], []), "at least one r"),
        ((X[:2, :3], ["hats", "hats"], [1, 0]), "contexts so far had 4 features, got 3"),
        ((sparse.csr_array(X[:1]), ["hats"], [1]), "give every block dense"),
    ],
)
def test_an_update_that_does_not_fit_records_nothing(arguments, message):
    policy = learned(lambda: Greedy(NAMES))
    before = counts(policy), policy.score(X)
    with pytest.raises(ValueError, match=message):
        policy.update(*arguments, rng)
    assert counts(policy) == before[0]
    np.testing.assert_array_equal(policy.score(X), before[1])


@pytest.mark.parametrize("generator", [None, 0, np.random])
def test_a_generator_is_asked_for_in_words(generator):
    policy = Greedy(3)
    uses = [
        lambda: policy.select(X, generator),
        lambda: policy.update(X[:1], [0], [1], generator),
    ]
    if generator is not None:
        uses += [lambda: policy.scores(X, generator), lambda: policy.rank(X, 2, generator)]
    for use in uses:
        with pytest.raises(ValueError, match=r"must be a numpy\.random\.Generator"):
            use()


# --- decisions whose rewards come later


def test_a_decision_is_numbered_and_named():
    policy = EpsilonGreedy(NAMES, cold_start=Smoothing(a=1, b=10))
    decisions = policy.select(X[:50], np.random.default_rng(0), return_decisions=True)
    assert len({decision.id for decision in decisions}) == 50
    assert {decision.arm for decision in decisions} <= set(NAMES)
    assert all(0 < decision.propensity <= 1 for decision in decisions)
    assert policy.pending == decisions


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", policy_names())
def test_late_rewards_in_any_order_are_those_of_their_contexts(name, kind):
    cold = {} if name in ("RandomArm", "BestArmInHindsight") else {"cold_start": QUICK}
    policy = make_policy(name, DATA, **cold)
    draws = np.random.default_rng(3)
    decisions = policy.select(kind(X[:120]), draws, return_decisions=True)
    arms = np.array([decision.arm for decision in decisions])
    order = np.random.default_rng(4).permutation(120)[:90]  # 30 never come
    for some in np.split(order, [1, 30, 31]):
        rewards = LABELS[some, arms[some]]
        policy.update([decisions[row] for row in some], rewards, draws)
    seen = [LABELS[order, arm][arms[order] == arm] for arm in range(3)]
    assert counts(policy) == [[s.sum() for s in seen], [(1 - s).sum() for s in seen]]
    assert policy.pending == [decisions[row] for row in np.setdiff1d(np.arange(120), order)]
    if policy.oracle is not None and not policy.oracle.streaming:
        for arm in range(3):
            rows, rewards = policy.history_.observations(arm)
            played = order[arms[order] == arm]
            rows = rows.toarray() if sparse.issparse(rows) else rows
            np.testing.assert_array_equal(rows, X[played])
            np.testing.assert_array_equal(rewards, LABELS[played, arm])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_order_in_which_rewards_come_makes_no_difference_to_full_refits(kind):
    fits = []
    for order in (np.arange(120), np.arange(120)[::-1], np.random.default_rng(1).permutation(120)):
        policy, draws = Greedy(3, cold_start=None), np.random.default_rng(3)
        decisions = policy.select(kind(X[:120]), draws, return_decisions=True)
        for some in np.array_split(order, 4):
            rewards = [LABELS[row, decisions[row].arm] for row in some]
            policy.update([decisions[row] for row in some], rewards, draws)
        fits.append(policy.score(kind(X)))
    for fit in fits[1:]:
        np.testing.assert_allclose(fit, fits[0], atol=1e-3)  # where the solver stops


def test_decisions_may_be_named_by_their_numbers():
    policy = Greedy(NAMES)
    one, other = policy.select(X[:2], rng, return_decisions=True)
    policy.update([np.int64(one.id)], [1], rng)
    policy.update(decisions=[other.id], rewards=[0], rng=rng)
    assert policy.pending == []
    assert np.sum(counts(policy)) == 2


def test_a_context_is_kept_as_it_was_when_the_arm_was_chosen():
    for kind in (np.array, sparse.csr_array):
        policy, buffer = Greedy(3, cold_start=None), kind(X[:2])
        decision, _ = policy.select(buffer, rng, return_decisions=True)
        buffer *= 0  # filled anew by its owner
        policy.update([decision], [1], rng)
        rows, _ = policy.history_.observations(decision.arm)
        np.testing.assert_array_equal(rows @ np.eye(4), X[:1])


def refuses(policy, decisions, rewards, message):
    """The policy refuses the rewards in words; nothing is recorded, and nothing stops waiting."""
    before = counts(policy), policy.pending, policy.score(X)
    with pytest.raises(ValueError, match=message):
        policy.update(decisions, rewards, rng)
    assert (counts(policy), policy.pending) == before[:2]
    np.testing.assert_array_equal(policy.score(X), before[2])


def test_a_decision_for_an_arm_that_was_dropped_is_refused_until_it_is_discarded():
    policy = learned(lambda: RandomArm(NAMES))
    decisions = policy.select(X[:60], np.random.default_rng(0), return_decisions=True)
    of_hats = [decision for decision in decisions if decision.arm == "hats"]
    policy.drop_arm("hats")
    refuses(policy, decisions, [1] * 60, "arm 'hats' was dropped")
    policy.discard(of_hats)
    others = [decision for decision in decisions if decision.arm != "hats"]
    assert policy.pending == others
    policy.update(others, [1] * len(others), rng)
    assert policy.pending == []


def test_a_decision_gets_one_reward():
    policy = Greedy(3)
    one, other = policy.select(X[:2], rng, return_decisions=True)
    elsewhere = Greedy(3).select(X[:1], rng, return_decisions=True)
    refuses(policy, [one, one], [1, 1], "is named twice")
    refuses(policy, [one, *elsewhere], [1, 1], "taken by another policy")
    refuses(policy, [one], [1, 0], "as many decisions and rewards; got 1 and 2")
    refuses(policy, [one], [0.5], "rewards must be 0 or 1")
    refuses(policy, [], [], "empty block")
    for wrong in ("1", 1.0, True, None):
        refuses(policy, [wrong], [1], "a decision is what select")
    policy.update([one], [1], rng)
    refuses(policy, [other, one], [1, 1], "it has one already")
    policy.discard([other])
    refuses(policy, [other], [1], "was discarded")


def test_decisions_in_contexts_of_another_kind_are_refused_and_go_on_waiting():
    policy = Greedy(3)
    narrow, dense, thin = (
        policy.select(block, rng, return_decisions=True)[0]
        for block in (X[:1, :2], X[:1], sparse.csr_array(X[:1]))
    )
    for pair in ([narrow, dense], [dense, thin]):
        with pytest.raises(ValueError, match="of different widths, or in dense and sparse ones"):
            policy.update(pair, [1, 1], rng)
    policy.update([dense], [1], rng)
    refuses(policy, [narrow], [1], "contexts so far had 4 features, got 2")
    refuses(policy, [thin], [1], "give every block dense")
    assert policy.pending == [narrow, thin]


# --- masks

MASK = np.random.default_rng(8).random((240, 3)) < 0.5
MASK[np.arange(240), np.random.default_rng(9).integers(3, size=240)] = True


@pytest.mark.parametrize("name", [name for name in policy_names() if name != "BestArmInHindsight"])
def test_a_round_chooses_among_the_arms_that_it_allows(name):
    cold = {} if name == "RandomArm" else {"cold_start": QUICK}
    cold |= {"window": 20} if name in ("ContextualAdaptiveGreedy2", "ActiveAdaptiveGreedy") else {}
    policy, draws = make_policy(name, DATA, **cold), np.random.default_rng(0)
    for start in range(0, 240, 20):
        rows = np.arange(start, start + 20)
        arms = policy.select(X[rows], draws, allowed=MASK[rows])
        assert MASK[rows, arms].all()
        policy.update(X[rows], arms, LABELS[rows, arms], draws)
    single = MASK.sum(axis=1) == 1
    arms, propensities = policy.select(X, draws, allowed=MASK, return_propensity=True)
    np.testing.assert_array_equal(arms[single], MASK[single].argmax(axis=1))
    known = single & ~np.isnan(propensities)
    np.testing.assert_allclose(propensities[known], 1)


def test_a_mask_that_allows_all_is_none():
    runs = [
        learned(lambda: EpsilonGreedy(3)).select(X, np.random.default_rng(1), allowed=allowed)
        for allowed in (None, [0, 1, 2], np.ones(3, dtype=bool), np.ones((240, 3), dtype=bool))
    ]
    for run in runs[1:]:
        assert run.tolist() == runs[0].tolist()


def test_greedy_under_a_mask_takes_the_best_that_is_allowed():
    policy = learned(lambda: Greedy(NAMES, cold_start=None))
    best = np.where(MASK, policy.scores(X), -1).argmax(axis=1)
    arms = policy.select(X, rng, allowed=MASK)
    assert arms.tolist() == [NAMES[arm] for arm in best]


def test_a_fixed_arm_must_be_allowed():
    policy = BestArmInHindsight(NAMES, arm=1)
    assert set(policy.select(X, rng, allowed=["shoes", "hats"])) == {"shoes"}
    with pytest.raises(ValueError, match="does not allow the arm that this policy always plays"):
        policy.select(X, rng, allowed=["hats"])


# --- rankings and scores


def test_a_ranking_lists_the_highest_scores_first():
    policy = learned(lambda: Greedy(NAMES, cold_start=None))
    order = np.argsort(-policy.scores(X), axis=1)
    assert policy.rank(X, n=2).tolist() == np.array(NAMES)[order[:, :2]].tolist()
    assert policy.rank(X).shape == (240, 3)
    assert policy.rank(X, n=1)[:, 0].tolist() == policy.select(X, rng).tolist()


def test_a_ranking_lists_arms_that_are_allowed_and_says_where_there_are_too_few():
    policy = learned(lambda: Greedy(3, cold_start=None))
    expected = np.where(MASK, policy.scores(X), -1).argmax(axis=1)
    assert policy.rank(X, n=1, allowed=MASK)[:, 0].tolist() == expected.tolist()
    row = int(np.argmax(MASK.sum(axis=1) < 2))
    with pytest.raises(ValueError, match=f"row {row} allows 1 arms, fewer than n=2"):
        policy.rank(X, n=2, allowed=MASK)
    with pytest.raises(ValueError, match="n must be a whole number of at least 1, got 0"):
        policy.rank(X, n=0)


@pytest.mark.statistical
def test_a_ranking_with_a_generator_breaks_ties_at_random():
    policy = Greedy(3, cold_start=Smoothing(a=1, b=10))
    assert set(policy.rank(X, n=1)[:, 0]) == {0}
    first = policy.rank(np.ones((3000, 4)), 1, rng)[:, 0]
    for arm in range(3):
        assert_mean(first == arm, 1 / 3, np.sqrt(2 / 9))


SCORED = {
    "unlearned draws": lambda: Greedy(3, cold_start=MABFirst(a=[1, 2, 3], b=4, m=1)),
    "some draws": lambda: Greedy(3, cold_start=MABFirst(a=3, b=7, m=11)),
    "smoothing": lambda: Greedy(3, cold_start=Smoothing(a=1, b=10)),
    "both": lambda: Greedy(3, cold_start=(MABFirst(a=3, b=7, m=11), Smoothing(a=1, b=10))),
    "drawn resamples": lambda: BootstrappedTS(3, n_resamples=3, cold_start=MABFirst(a=3, b=7, m=1)),
    "percentiles": lambda: BootstrappedUCB(3, n_resamples=3, cold_start=QUICK),
    "streaming": lambda: OnlineBootstrappedUCB(3, n_resamples=2, cold_start=QUICK),
}


@pytest.mark.statistical
@pytest.mark.parametrize("make", SCORED.values(), ids=SCORED)
def test_scores_are_the_mean_of_what_choosers_see(make):
    for policy in (make(), learned(make)):
        n_draws = 2000
        draws = np.random.default_rng(2)
        seen = policy.scores(np.repeat(X[:2], n_draws, axis=0), draws).reshape(2, n_draws, 3)
        error = seen.std(axis=1) / np.sqrt(n_draws)
        np.testing.assert_array_less(
            np.abs(seen.mean(axis=1) - policy.scores(X[:2])), 4 * error + 1e-12
        )


@pytest.mark.parametrize("make", SCORED.values(), ids=SCORED)
def test_looking_changes_nothing(make):
    looked, untouched = learned(make), learned(make)
    for look in (looked.score, looked.scores, looked.rank):
        look(X)
    looked.scores(X, np.random.default_rng(9))
    chosen = [each.select(X, np.random.default_rng(1)).tolist() for each in (looked, untouched)]
    assert chosen[0] == chosen[1]


def test_scores_are_numbers_for_arms_that_have_no_oracle_yet():
    policy = Greedy(["hats", "shoes"], cold_start=MABFirst(a=1, b=3))
    assert policy.scores(X[:2]).tolist() == [[0.25, 0.25]] * 2
    assert policy.scores(X[:0]).shape == (0, 2)


# --- propensities on request


class FirstOfTwo:
    """A chooser of one's own, which knows its propensities and has no exact form for draws."""

    def choose(self, values, context, rng):
        from cbkit import Choice

        return Choice(int(rng.integers(2)), False, 0.5)


def test_asking_for_propensities_keeps_those_that_a_chooser_knows_itself():
    policy = Policy(n_arms=3, oracle=None, cold_start=Smoothing(a=1, b=2), chooser=FirstOfTwo())
    _, propensities = policy.select(X, rng, return_propensity=True)
    assert set(propensities) == {0.5}


def test_asking_for_propensities_changes_no_choice():
    for name in policy_names():
        plain, asked = (make_policy(name, DATA) for _ in range(2))
        arms = plain.select(X, np.random.default_rng(0))
        same, propensities = asked.select(X, np.random.default_rng(0), return_propensity=True)
        assert same.tolist() == arms.tolist()
        decisions = asked.select(
            X, np.random.default_rng(0), return_propensity=True, return_decisions=True
        )
        assert len(decisions) == 240
        if name in ("Greedy", "EpsilonGreedy", "BootstrappedTS", "BestArmOnline"):
            assert not np.isnan(propensities).any()
