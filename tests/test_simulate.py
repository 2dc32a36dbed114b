"""The round loop: what is logged, what is seen when, and what is never seen at all."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sampling import assert_mean
from scipy import sparse

from cbkit import (
    BestArmInHindsight,
    BestArmOnline,
    EpsilonGreedy,
    Greedy,
    MABFirst,
    MultilabelDataset,
    RandomArm,
    Refit,
    load_dataset,
    make_policy,
    simulate,
)
from cbkit.policies.policy import Policy
from cbkit.simulate import row_order

DATA = MultilabelDataset.from_arrays(
    np.random.default_rng(0).normal(size=(103, 3)),
    np.random.default_rng(1).integers(2, size=(103, 4)),
)


class Spy(Policy):
    """A random policy that writes down what it is asked and told, in order."""

    def __post_init__(self):
        super().__post_init__()
        self.seen = []

    def prepare(self, X):
        self.seen.append(("prepare", X.shape[0]))
        return super().prepare(X)

    def choose(self, block, row, rng, allowed=None):
        self.seen.append(("choose", row))
        return super().choose(block, row, rng, allowed)

    def record(self, X, row, arm, reward):
        self.seen.append(("record", row))
        super().record(X, row, arm, reward)

    def refit(self, rng, refits=None):
        self.seen.append(("refit", None))
        super().refit(rng, refits)


def run(policy=None, data=DATA, seed=0, **options):
    return simulate(policy or RandomArm(data.n_arms), data, seed=seed, **options)


def same(one, other):
    pd.testing.assert_frame_equal(one.rounds, other.rounds)


# --- the log


def test_log_holds_every_row_once_and_the_reward_of_the_chosen_arm():
    log = run(refit_every=10)
    rounds = log.rounds
    assert rounds["round"].tolist() == list(range(1, 104))
    assert sorted(rounds["row"]) == list(range(103))
    rewards = DATA.labels.toarray()[rounds["row"], rounds["arm"]]
    assert (rounds["reward"] == rewards).all()
    assert list(rounds) == [
        "round",
        "row",
        "arm",
        "reward",
        "explored",
        "cold_start",
        "index",
        "propensity",
    ]


def test_cumulative_mean_reward_follows_its_definition():
    log = run()
    rewards = log.rounds["reward"].tolist()
    by_hand = [sum(rewards[:t]) / t for t in range(1, 104)]
    np.testing.assert_allclose(log.cumulative_mean_reward, by_hand)
    assert log.mean_reward == by_hand[-1]


def test_facts_describe_the_run():
    policy = Greedy(4, cold_start=MABFirst(a=1, b=1, m=1))
    facts = run(policy, seed=5, n_rounds=60, refit_every=7, feedback="batch").facts
    expected = {
        "policy": "Greedy",
        "dataset": "custom",
        "checksum": DATA.checksum,
        "seed": 5,
        "n_rounds": 60,
        "refit_every": 7,
        "feedback": "batch",
        "explored_share": 0.0,
    }
    assert {name: facts[name] for name in expected} == expected
    assert facts["n_fitted_arms"] == policy.n_fitted_arms > 0
    assert facts["n_refits"] >= facts["n_fitted_arms"]
    assert 0 < facts["cold_start_share"] < 1
    assert min(facts[f"seconds_{stage}"] for stage in ("scoring", "choosing", "fitting")) >= 0


def test_best_arm_in_hindsight_earns_the_share_of_the_most_common_label():
    log = run(BestArmInHindsight(4, arm=DATA.best_arm))
    assert log.mean_reward == DATA.describe()["most_common_label_pct"] / 100


@pytest.mark.statistical
def test_random_arm_earns_the_mean_density_of_the_labels():
    data = load_dataset("demo")
    density = data.labels.nnz / (data.n_rows * data.n_arms)
    log = run(data=data)
    assert_mean(log.rounds["reward"], density, np.sqrt(density * (1 - density)))
    assert set(log.rounds["propensity"]) == {1 / 60}


# --- order and seeds


def test_row_order_depends_on_the_seed_and_the_number_of_rows_alone():
    order = row_order(103, 3)
    assert (order == row_order(103, 3)).all()
    assert (order != row_order(103, 4)).any()
    other = MultilabelDataset.from_arrays(np.ones((103, 9)), np.eye(103)[:, :2])
    for log in (run(seed=3), run(data=other, seed=3), run(BestArmOnline(4), seed=3, refit_every=9)):
        assert log.rounds["row"].tolist() == order.tolist()
    assert run(seed=3, n_rounds=20).rounds["row"].tolist() == order[:20].tolist()


def test_row_order_of_a_seed_stays_what_it_was():
    # Results that were kept are paired with new ones by their seeds.
    stream = np.random.default_rng(np.random.SeedSequence(3).spawn(2)[0])
    assert row_order(9, 3).tolist() == stream.permutation(9).tolist()


@pytest.mark.parametrize("seed", [0, 1, 2**40, np.int64(7)])
def test_any_whole_seed_reproduces_its_log(seed):
    same(run(seed=seed), run(seed=seed))


def test_seeds_give_different_rows_and_choices():
    logs = [run(seed=seed).rounds for seed in range(5)]
    assert len({tuple(log["row"]) for log in logs}) == 5
    assert len({tuple(log["arm"]) for log in logs}) == 5


def test_global_random_state_is_neither_used_nor_touched():
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    log = run(Greedy(4), seed=1)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
    np.random.seed(99)  # noqa: NPY002
    same(log, run(Greedy(4), seed=1))


# --- feedback


def calls(feedback):
    spy = Spy(n_arms=4, oracle=None)
    run(spy, n_rounds=5, refit_every=2, feedback=feedback)
    return [f"{what[0]}{'' if row is None else row}" for what, row in spy.seen]


def test_immediate_feedback_records_each_reward_before_the_next_choice():
    block = ["p2", "c0", "r0", "c1", "r1", "r"]
    assert calls("immediate") == [*block, *block, "p1", "c0", "r0", "r"]


def test_batch_feedback_records_a_whole_blocks_rewards_at_its_end():
    block = ["p2", "c0", "c1", "r0", "r1", "r"]
    assert calls("batch") == [*block, *block, "p1", "c0", "r0", "r"]


def test_online_best_arm_learns_inside_a_block_from_immediate_feedback_alone():
    # One block of 40 rounds in which arm 0 always pays and no other arm ever does.
    data = MultilabelDataset.from_arrays(np.ones((40, 1)), np.tile([1, 0, 0, 0], (40, 1)))
    prior = {"MABFirst": {"a": 1, "b": 1}}

    def late_share(feedback):
        logs = [
            run(make_policy("BestArmOnline", data, cold_start=prior), data, seed, feedback=feedback)
            for seed in range(20)
        ]
        return np.mean([log.rounds["reward"][20:].mean() for log in logs])

    # With batch feedback nothing is learned before the block ends: chance is 1/4.
    assert late_share("immediate") > 0.6
    assert abs(late_share("batch") - 0.25) < 4 * np.sqrt(0.25 * 0.75 / 400)


def test_feedback_makes_no_difference_when_every_round_is_a_block():
    logs = [
        run(Greedy(4), refit_every=1, n_rounds=60, feedback=feedback)
        for feedback in ("immediate", "batch")
    ]
    same(*logs)


def test_full_feedback_records_the_rewards_of_all_arms_at_a_blocks_end():
    block = ["p2", "c0", "c1", *["r0"] * 4, *["r1"] * 4, "r"]
    assert calls("full") == [*block, *block, "p1", "c0", *["r0"] * 4, "r"]
    policy = Greedy(4)
    run(policy, feedback="full")
    rewards = DATA.labels.toarray()
    np.testing.assert_array_equal(policy.history_.positives, rewards.sum(axis=0))
    np.testing.assert_array_equal(policy.history_.negatives, (1 - rewards).sum(axis=0))


@pytest.mark.parametrize("options", [{"delay": 3}, {"arrivals": [[1, 200]] * 4}])
def test_full_feedback_goes_with_neither_delays_nor_arrivals(options):
    with pytest.raises(ValueError, match="goes with neither delay nor arrivals"):
        run(feedback="full", **options)


# --- first rounds at random


def test_the_first_arms_are_the_same_for_all_policies_and_then_their_own():
    logs = [run(policy, n_random=30).rounds for policy in (Greedy(4), BestArmInHindsight(4, arm=2))]
    first = [log[:30] for log in logs]
    assert first[0]["arm"].equals(first[1]["arm"]) and set(first[0]["arm"]) == {0, 1, 2, 3}
    assert first[0]["explored"].all() and first[0]["propensity"].eq(0.25).all()
    assert not first[0]["cold_start"].any() and first[0]["index"].isna().all()
    assert logs[1]["arm"][30:].eq(2).all()


def test_the_first_random_arms_depend_on_the_seed_and_leave_later_draws_alone():
    arms = [run(n_random=100, seed=seed).rounds["arm"] for seed in (0, 1)]
    assert not arms[0].equals(arms[1])
    free, started = run().rounds["arm"], run(n_random=1).rounds["arm"]
    assert free[:102].tolist() == started[1:].tolist()  # the policy's stream is its own


def test_policies_learn_from_the_first_random_rounds():
    policy = Greedy(4)
    run(policy, n_random=103)
    assert policy.history_.positives.sum() + policy.history_.negatives.sum() == 103


def test_random_arms_are_among_those_that_have_arrived():
    arrivals = [[1, 200], [50, 200], [1, 200], [1, 200]]
    log = run(n_random=103, arrivals=arrivals).rounds
    assert 1 not in set(log["arm"][:49]) and 1 in set(log["arm"][49:])
    assert log["propensity"][:49].eq(1 / 3).all()


@pytest.mark.parametrize("refit_every", [1, 7, 103, 1000])
def test_blocks_of_any_length_play_every_row(refit_every):
    log = run(BestArmOnline(4), refit_every=refit_every)
    assert sorted(log.rounds["row"]) == list(range(103))


def test_contexts_reach_the_policy_as_they_are_in_the_data_set():
    class Reader(Spy):
        def prepare(self, X):
            self.contexts = [*getattr(self, "contexts", []), X]
            return super().prepare(X)

    reader = Reader(n_arms=4, oracle=None)
    log = run(reader, refit_every=10)
    np.testing.assert_array_equal(np.vstack(reader.contexts), DATA.features[log.rounds["row"]])


# --- late rewards


def greedy():
    return Greedy(4, cold_start=MABFirst(a=1, b=1, m=1))


@pytest.mark.parametrize("feedback", ["immediate", "batch"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_no_delay_and_a_delay_of_zero_are_the_same(feedback, kind):
    data = MultilabelDataset.from_arrays(kind(DATA.features), DATA.labels)
    runs = [
        run(greedy(), data, seed=2, refit_every=10, feedback=feedback, delay=delay)
        for delay in (None, 0, (0, 0), lambda rng: 0)
    ]
    for other in runs[1:]:
        same(runs[0], other)


@pytest.mark.parametrize("delay", [1, 7, 102, 500, (0, 30), (1, 500), lambda rng: rng.poisson(9)])
def test_a_late_reward_is_seen_once_or_waits_at_the_end(delay):
    policy = greedy()
    log = run(policy, seed=1, refit_every=10, delay=delay)
    seen = policy.history_.positives + policy.history_.negatives
    assert seen.sum() + log.facts["n_pending"] == 103
    assert (seen <= np.bincount(log.rounds["arm"], minlength=4)).all()
    rewards = log.rounds.groupby("arm")["reward"].sum().reindex(range(4), fill_value=0)
    assert (policy.history_.positives <= rewards).all()
    for arm in np.flatnonzero(seen):
        rows, given = policy.history_.observations(arm)
        played = log.rounds[log.rounds["arm"] == arm]
        pairs = zip(played["row"], played["reward"], strict=True)
        known = {tuple(DATA.features[row]): reward for row, reward in pairs}
        assert [known.pop(tuple(row)) for row in rows] == given.tolist()


def test_a_delay_of_d_rounds_is_seen_d_rounds_later():
    spy = Spy(n_arms=4, oracle=None)
    run(spy, n_rounds=5, refit_every=5, delay=2)
    order = [what for what, _ in spy.seen]
    assert order == "prepare choose choose choose record choose record choose record refit".split()


def test_a_delay_longer_than_the_run_teaches_nothing():
    policy = greedy()
    assert run(policy, delay=103).facts["n_pending"] == 103
    assert policy.history_.positives.sum() + policy.history_.negatives.sum() == 0


@pytest.mark.parametrize(
    ("delay", "message"),
    [
        (-1, "delay must be a whole number of at least 0, got -1"),
        ((5, 1), r"\(smallest, largest\)"),
        ((1, 2, 3), r"\(smallest, largest\)"),
        ("late", "delay must be a number of rounds"),
        (1.5, "delay must be a number of rounds"),
        (True, "delay must be a number of rounds"),
        (lambda rng: -3, r"what delay\(rng\) returns must be a whole number of at least 0, got -3"),
    ],
)
def test_delays_that_are_none_are_refused(delay, message):
    with pytest.raises(ValueError, match=message):
        run(delay=delay)


# --- arms that arrive and expire

ARRIVALS = np.array([[1, 60], [10, 104], [50, 1000], [1, 1]])


@pytest.mark.parametrize(
    "name", ["RandomArm", "EpsilonGreedy", "BootstrappedTS", "SoftmaxExplorer"]
)
def test_arms_are_chosen_while_they_are_there(name):
    log = run(make_policy(name, DATA), seed=3, refit_every=10, arrivals=ARRIVALS)
    first, gone = ARRIVALS[log.rounds["arm"]].T
    assert ((first <= log.rounds["round"]) & (log.rounds["round"] < gone)).all()
    assert set(log.rounds["arm"]) == {0, 1, 2}
    assert set(log.rounds["arm"][:9]) == {0}


def test_arms_that_are_always_there_are_none():
    always = np.tile([1, 104], (4, 1))
    same(run(greedy(), seed=3), run(greedy(), seed=3, arrivals=always))


@pytest.mark.parametrize(
    ("arrivals", "message"),
    [
        ([[1, 60]] * 4, "no arm to choose in round 60"),
        ([[2, 104]] * 4, "no arm to choose in round 1"),
        ([[1, 104]] * 3, r"shape \(4, 2\)"),
        ([[1.0, 104.0]] * 4, "whole numbers"),
        ([1, 2, 3, 4], r"shape \(4, 2\)"),
    ],
)
def test_arrivals_that_leave_nothing_or_fit_nothing_are_refused(arrivals, message):
    with pytest.raises(ValueError, match=message):
        run(arrivals=arrivals)


# --- refit schedules


def test_growth_one_refits_every_block_and_more_growth_less_often():
    runs = [
        run(greedy(), seed=1, refit_every=5, refit=refit)
        for refit in (None, "every block", Refit(growth=1.0), Refit.geometric(1.5, always_below=4))
    ]
    for other in runs[1:3]:
        same(runs[0], other)
    n_refits = [log.facts["n_refits"] for log in runs]
    assert 0 < n_refits[3] < 0.7 * n_refits[0]


def test_the_schedule_may_be_the_policys_own():
    own = greedy()
    own.refits = Refit.geometric(growth=1.5, always_below=4)
    asked = run(greedy(), seed=1, refit_every=5, refit=own.refits)
    same(run(own, seed=1, refit_every=5), asked)


def test_streaming_oracles_learn_each_block_under_any_schedule():
    logs = [
        run(
            Greedy(4, oracle="streaming-logistic", cold_start=None),
            seed=1,
            refit_every=5,
            refit=refit,
        )
        for refit in ("every block", Refit.geometric(growth=3, always_below=0))
    ]
    same(*logs)


# --- starting from what a policy knows


def test_a_policy_that_learned_from_a_log_may_go_on():
    policy = greedy()
    policy.update(DATA.features[:40], np.arange(40) % 4, np.arange(40) % 3 == 0, generator())
    log = run(policy, seed=1, n_rounds=10, warm_start=True)
    assert log.facts["warm_start"]
    assert not log.rounds["cold_start"].any()
    assert not run(seed=1, n_rounds=10, warm_start=True).facts["warm_start"]


def generator():
    return np.random.default_rng(0)


# --- propensities on request


@pytest.mark.parametrize("arrivals", [None, ARRIVALS], ids=["all arms", "some"])
def test_propensities_change_no_choice_and_are_exact_where_they_can_be(arrivals):
    logs = [run(greedy(), seed=3, arrivals=arrivals, propensities=asked) for asked in (False, True)]
    pd.testing.assert_frame_equal(
        logs[0].rounds.drop(columns="propensity"), logs[1].rounds.drop(columns="propensity")
    )
    assert logs[0].rounds["propensity"].isna().any()
    assert logs[1].rounds["propensity"].between(0, 1, inclusive="right").all()


@pytest.mark.statistical
def test_inverse_propensities_count_each_arm_once_per_round():
    # The mean of 1 / propensity over rounds in which an arm is chosen is 1 for each arm.
    log = run(Greedy(4, cold_start=MABFirst(a=3, b=7, m=99)), seed=3, propensities=True)
    for arm in range(4):
        weights = (log.rounds["arm"] == arm) / log.rounds["propensity"]
        assert_mean(weights, 1, weights.std())


# --- order and figures


def test_rows_may_be_played_in_their_own_order():
    log = run(seed=3, shuffle=False, n_rounds=20)
    assert log.rounds["row"].tolist() == list(range(20))


def test_a_log_draws_itself():
    log = run(greedy(), refit_every=10)
    ax = log.plot(window=20)
    recent, mean = (line.get_ydata() for line in ax.lines)
    np.testing.assert_allclose(mean, log.cumulative_mean_reward)
    assert recent[-1] == pytest.approx(log.rounds["reward"][-20:].mean())
    assert recent[4] == pytest.approx(log.rounds["reward"][:5].mean())
    assert log.plot(ax) is ax and len(ax.lines) == 4
    with pytest.raises(ValueError, match="window must be a whole number of at least 1, got 0"):
        log.plot(window=0)
    plt.close(ax.figure)


# --- bad input


def used():
    policy = RandomArm(4)
    run(policy, n_rounds=5)
    return policy


def chosen():
    """A policy whose schedule has moved, though it saw no reward."""
    policy = EpsilonGreedy(4, decay=0.9)
    policy.select(DATA.features[:3], np.random.default_rng(0))
    return policy


def taught():
    """A policy with an oracle that another policy has taught."""
    teacher = Greedy(4, cold_start=None)
    run(teacher)
    return Policy(n_arms=4, oracle=teacher.oracle)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rounds": 0}, "n_rounds must be a whole number of at least 1, got 0"),
        ({"n_rounds": 104}, "n_rounds must be at most the 103 rows of custom, got 104"),
        ({"n_rounds": 50.0}, "got 50.0; write 50"),
        ({"refit_every": 0}, "refit_every must be a whole number"),
        ({"refit_every": 2.5}, "refit_every must be a whole number"),
        ({"refit_every": 50.0}, "write 50"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"seed": None}, "seed must be a whole number"),
        ({"seed": "0"}, "seed must be a whole number"),
        ({"feedback": "delayed"}, "'immediate', 'batch', 'full', got 'delayed'"),
        ({"n_random": -1}, "n_random must be a whole number of at least 0, got -1"),
        ({"policy": RandomArm(5)}, "the policy has 5 arms, custom 4"),
        ({"policy": used()}, "has already chosen or learned in other rounds; make a fresh one"),
        ({"policy": chosen()}, "has already chosen or learned in other rounds"),
        ({"policy": taught()}, "has already chosen or learned in other rounds"),
    ],
)
def test_bad_arguments_are_refused_with_the_value(options, message):
    with pytest.raises(ValueError, match=message):
        run(**options)


def test_looking_leaves_a_policy_fresh():
    policy = Greedy(4)
    policy.score(DATA.features)
    same(run(policy), run(Greedy(4)))


def test_progress_bar_shows_only_when_asked_for(capsys):
    run()
    assert capsys.readouterr().err == ""
    run(progress=True)
    assert "RandomArm" in capsys.readouterr().err


# --- real data


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["Greedy", "EpsilonGreedy"])
def test_contextual_policies_beat_the_best_fixed_arm_of_bibtex(name, real_dataset):
    data = real_dataset("bibtex")
    prior = MABFirst(a=5 / 159, b=4, m=2)
    log = simulate(make_policy(name, data, cold_start=prior), data, seed=0)
    best = data.describe()["most_common_label_pct"] / 100
    assert round(best, 3) == 0.141
    error = np.sqrt(best * (1 - best) / data.n_rows)
    assert log.mean_reward > best + 4 * error
