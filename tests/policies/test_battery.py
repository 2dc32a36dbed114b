"""Every registered policy through every common check."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from cbkit import (
    ForestOracle,
    MABFirst,
    MultilabelDataset,
    Smoothing,
    StreamingOracle,
    TreeLeafOracle,
    make_policy,
    policy_names,
    simulate,
)
from cbkit.policies.registry import policy_parameters

NAMES = policy_names()
WITH_ORACLE = [name for name in NAMES if name not in NAMES[:3]]
ANY_ORACLE = [name for name in NAMES if "oracle" in policy_parameters(name)]
BOOTSTRAPPED = [name for name in NAMES if "n_resamples" in policy_parameters(name)]
LINEAR = ["LinUCB", "LinTS"]  # a ridge regression may predict, and bound, what is no probability
QUICK = MABFirst(a=1, b=1, m=1)
SHARES = (0.5, 0.3, 0.2, 0.2)  # of the rows that reward each arm


def planted(n_rows=400, n_arms=4, seed=0, make=np.asarray):
    """Arm a pays in the rows that are largest along a direction of its own."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_rows, 4))
    sums = features @ np.linalg.qr(rng.normal(size=(4, 4)))[0]
    bars = [np.quantile(sums[:, arm], 1 - SHARES[arm]) for arm in range(n_arms)]
    return MultilabelDataset.from_arrays(make(features), sums[:, :n_arms] > bars, name="planted")


DATA = planted()
SMALL = planted(90)


def make(name, data=SMALL, **overrides):
    """Make a policy that warms up in a few rounds."""
    if name in WITH_ORACLE:
        overrides = {"cold_start": QUICK, **overrides}
    if name == "AlternatingEpochs":
        overrides = {"explore_rounds": 10, "exploit_rounds": 20, **overrides}
    if name in ("ContextualAdaptiveGreedy2", "ActiveAdaptiveGreedy"):
        overrides = {"window": 20, **overrides}
    return make_policy(name, data, **overrides)


def play(name, data=SMALL, seed=0, refit_every=25, feedback="immediate", on=None, **overrides):
    policy = make(name, data, **overrides)
    return simulate(policy, on or data, seed=seed, refit_every=refit_every, feedback=feedback)


def assert_sound(name, indices):
    assert np.isfinite(indices).all() if name in LINEAR else indices.between(0, 1).all()


def assert_same(one, other):
    pd.testing.assert_frame_equal(one.rounds, other.rounds)


# --- learning


@pytest.mark.statistical
@pytest.mark.parametrize("name", [name for name in NAMES if name != "RandomArm"])
def test_policy_beats_random_choices_where_there_is_something_to_learn(name):
    rewards = np.concatenate(
        [play(name, DATA, seed).rounds["reward"][200:].to_numpy() for seed in range(2)]
    )
    chance = np.mean(SHARES)
    assert rewards.mean() > chance + 4 * np.sqrt(chance * (1 - chance) / rewards.size)


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["Greedy", "BootstrappedUCB", "OnlineBootstrappedTS"])
def test_contexts_earn_more_than_the_best_fixed_arm(name):
    rewards = np.concatenate(
        [play(name, DATA, seed).rounds["reward"][200:].to_numpy() for seed in range(3)]
    )
    assert rewards.mean() > 0.5 + 4 * np.sqrt(0.25 / rewards.size)


# --- the rewards that a policy must not see


@pytest.mark.parametrize("feedback", ["immediate", "batch"])
@pytest.mark.parametrize("name", NAMES)
def test_tampering_with_the_rewards_of_arms_not_chosen_changes_nothing(name, feedback):
    log = play(name, feedback=feedback)
    labels = SMALL.labels.toarray()
    rows, arms = log.rounds["row"], log.rounds["arm"]
    tampered = 1 - labels
    tampered[rows, arms] = labels[rows, arms]
    other = MultilabelDataset.from_arrays(SMALL.features, tampered, name="planted")
    assert_same(play(name, on=other, feedback=feedback), log)


def test_tampering_with_the_rewards_of_chosen_arms_is_seen():
    log = play("Greedy")
    other = MultilabelDataset.from_arrays(SMALL.features, 1 - SMALL.labels.toarray())
    assert (play("Greedy", on=other).rounds["arm"] != log.rounds["arm"]).any()


def test_exclusive_rewards_see_no_other_rewards_either():
    log = play("Greedy", exclusive_rewards=True)
    labels = SMALL.labels.toarray()
    tampered = 1 - labels
    at = log.rounds["row"], log.rounds["arm"]
    tampered[at] = labels[at]
    other = MultilabelDataset.from_arrays(SMALL.features, tampered)
    assert_same(play("Greedy", on=other, exclusive_rewards=True), log)


# --- reproducibility


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_gives_the_same_log_and_another_seed_another(name):
    log = play(name, seed=0)
    assert_same(play(name, seed=0), log)
    assert (play(name, seed=1).rounds["row"] != log.rounds["row"]).any()


@pytest.mark.parametrize("name", NAMES)
def test_policy_and_log_pickle_before_and_after_playing(name):
    fresh = pickle.loads(pickle.dumps(make(name)))
    log = simulate(fresh, SMALL, seed=0, refit_every=25)
    assert_same(log, play(name))
    assert_same(pickle.loads(pickle.dumps(log)), log)
    loaded = pickle.loads(pickle.dumps(fresh))
    np.testing.assert_array_equal(loaded.score(SMALL.features), fresh.score(SMALL.features))


@pytest.mark.parametrize("name", NAMES)
def test_looking_between_rounds_changes_nothing(name):
    policy = make(name)
    choose, refit = policy.choose, policy.refit

    def looking_choose(block, row, *rest):
        policy.score(SMALL.features[:3])
        return choose(block, row, *rest)

    def looking_refit(*given):
        policy.prepare(SMALL.features)
        refit(*given)
        policy.prepare(SMALL.features[:1])

    policy.choose, policy.refit = looking_choose, looking_refit
    assert_same(simulate(policy, SMALL, seed=0, refit_every=25), play(name))


# --- shapes and schedules


@pytest.mark.parametrize("refit_every", [1, 13, 90, 500])
@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_played_once_in_blocks_of_any_length(name, refit_every):
    data = planted(47)
    rounds = play(name, data, refit_every=refit_every).rounds
    assert sorted(rounds["row"]) == list(range(47))
    assert rounds["arm"].between(0, 3).all()
    assert rounds["reward"].isin([0, 1]).all()
    assert_sound(name, rounds["index"])
    assert rounds["propensity"].dropna().between(0, 1 + 1e-9, inclusive="right").all()


@pytest.mark.parametrize(
    ("name", "overrides", "explored"),
    [
        ("ExploreThenExploit", {"turning_point": 20}, lambda t: t < 20),
        ("ExploreThenExploit", {"turning_point": 13}, lambda t: t < 13),
        ("ExploreThenExploit", {"turning_point": 500}, lambda t: t < 500),
        (
            "AlternatingEpochs",
            {"explore_rounds": 5, "exploit_rounds": 4},
            lambda t: (t - 1) % 9 < 5,
        ),
    ],
)
@pytest.mark.parametrize("refit_every", [1, 7, 13, 500])
def test_blocks_may_cross_any_boundary_of_a_schedule(name, overrides, explored, refit_every):
    rounds = play(name, refit_every=refit_every, **overrides).rounds
    np.testing.assert_array_equal(rounds["explored"], explored(rounds["round"]))


@pytest.mark.parametrize("name", NAMES)
def test_two_arms_are_enough(name):
    data = planted(60, n_arms=2)
    assert set(play(name, data).rounds["arm"]) <= {0, 1}


ONE_LABEL = {
    "never": np.zeros((60, 3), dtype=int),
    "always": np.ones((60, 3), dtype=int),
    "each its own": np.tile([0, 1, 0], (60, 1)),
}


@pytest.mark.parametrize(
    "cold_start", [None, QUICK, Smoothing(a=1, b=10), (QUICK, Smoothing(a=1, b=3))]
)
@pytest.mark.parametrize("labels", ONE_LABEL.values(), ids=ONE_LABEL)
def test_arms_that_know_one_label_only_are_played_on(labels, cold_start):
    data = MultilabelDataset.from_arrays(planted(60).features, labels)
    for name in WITH_ORACLE:
        log = play(name, data, cold_start=cold_start)
        assert log.facts["n_fitted_arms"] == 0 or name in LINEAR  # a regression needs not both
        assert_sound(name, log.rounds["index"])


def test_online_best_arm_finds_the_one_that_pays():
    data = MultilabelDataset.from_arrays(planted(60).features, ONE_LABEL["each its own"])
    assert (play("BestArmOnline", data).rounds["arm"][-10:] == 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_cold_and_barely_fitted_arms_meet_one_label_resamples(name):
    # One reward in thirty: most resamples of an arm hold non-rewards alone.
    labels = np.zeros((90, 3), dtype=int)
    labels[::30] = 1
    data = MultilabelDataset.from_arrays(SMALL.features, labels)
    assert_sound(name, play(name, data, refit_every=5).rounds["index"])


# --- input of every kind


FORMATS = [sparse.csc_array, sparse.coo_array, sparse.lil_array, sparse.dok_array]
FORMATS += [sparse.bsr_array, sparse.dia_array, sparse.csr_matrix, sparse.csc_matrix]


@pytest.mark.parametrize("name", NAMES)
def test_every_sparse_format_is_the_same_to_a_policy_and_never_densified(name):
    features = np.where(SMALL.features > 0.3, SMALL.features, 0)[:60]
    labels = SMALL.labels.toarray()

    def live(form):
        policy, rng, arms = make(name), np.random.default_rng(0), []
        for start in (0, 20, 40):
            X = form(features[start : start + 20])
            chosen = policy.select(X, rng)
            policy.update(X, chosen, labels[np.arange(start, start + 20), chosen], rng)
            arms.extend(chosen.tolist())
        for arm in range(policy.n_arms if policy.history_.n_rows else 0):  # none if streaming
            assert sparse.issparse(policy.history_.observations(arm)[0])
        return arms

    expected = live(sparse.csr_array)
    for form in FORMATS:
        assert live(form) == expected


@pytest.mark.parametrize("name", NAMES)
def test_sparse_and_dense_contexts_give_the_same_choices(name):
    dense, compressed = planted(90), planted(90, make=sparse.csr_array)
    one, other = (play(name, data).rounds for data in (dense, compressed))
    np.testing.assert_array_equal(one["arm"], other["arm"])
    np.testing.assert_allclose(one["index"], other["index"], atol=1e-3)


# --- every policy with every kind of oracle


ORACLES = {
    "streaming-logistic": "streaming-logistic",
    "streaming-laplace": "streaming-laplace",
    "streaming classifier": StreamingOracle(classifier=SGDClassifier(loss="log_loss")),
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=2),
    "margins alone": SGDClassifier(loss="hinge"),
    "forest": ForestOracle(),
    "boosted trees": XGBClassifier(n_estimators=2, max_depth=2, n_jobs=1),
    "leaf bounds": TreeLeafOracle(tree=DecisionTreeClassifier(max_depth=2)),
}
# Those that every policy plays with, and policies that play with every oracle, on each run.
FEW_ORACLES = ("streaming-laplace", "naive Bayes", "margins alone")
FEW_POLICIES = ("Greedy", "BootstrappedUCB", "ContextualAdaptiveGreedy", "ActiveExplorer")


def more_unless(first):
    return () if first else pytest.mark.exhaustive


PLAYED_WITH = [
    pytest.param(
        name,
        oracle,
        id=f"{name}-{kind}",
        marks=more_unless(kind in FEW_ORACLES or name in FEW_POLICIES),
    )
    for kind, oracle in ORACLES.items()
    for name in ANY_ORACLE
    if not (name in BOOTSTRAPPED and kind == "leaf bounds")
]


@pytest.mark.parametrize(("name", "oracle"), PLAYED_WITH)
def test_every_policy_plays_with_every_kind_of_oracle(name, oracle):
    data = planted(60)
    overrides = {"oracle": oracle}
    if name in BOOTSTRAPPED:
        overrides |= {"weights": "poisson", "n_resamples": 2}
    log = play(name, data, refit_every=30, **overrides)
    assert log.facts["n_fitted_arms"] >= 1
    assert log.rounds["index"].between(0, 1).all()
    assert_same(play(name, data, refit_every=30, **overrides), log)


@pytest.mark.parametrize("name", BOOTSTRAPPED)
def test_policies_with_resamples_refuse_leaf_bounds_which_have_none(name):
    with pytest.raises(ValueError, match="has no resamples; use it with Greedy"):
        make(name, oracle=TreeLeafOracle())


# --- adaptive greedy is greedy where its threshold is never reached


@pytest.mark.parametrize("feedback", ["immediate", "batch"])
@pytest.mark.parametrize("cold_start", [QUICK, None, Smoothing(a=1, b=10)])
def test_adaptive_greedy_is_greedy_round_for_round_if_its_threshold_is_never_reached(
    cold_start, feedback
):
    options = {"cold_start": cold_start, "feedback": feedback}
    for seed in range(3):
        adaptive = play("ContextualAdaptiveGreedy", threshold=1e-12, seed=seed, **options)
        assert adaptive.facts["explored_share"] == 0
        assert_same(adaptive, play("Greedy", seed=seed, **options))


def test_adaptive_greedy_with_a_prior_never_explores_among_many_arms():
    # 100 arms: the threshold is 1/20, the best of a hundred Beta(3, 7) draws about 0.7.
    labels = np.zeros((200, 100), dtype=int)
    labels[np.arange(200), np.arange(200) % 100] = 1
    data = MultilabelDataset.from_arrays(planted(200).features, labels)
    logs = [
        simulate(make_policy(name, data), data, seed=0)
        for name in ("ContextualAdaptiveGreedy", "Greedy")
    ]
    assert logs[0].facts["explored_share"] == 0
    assert_same(*logs)


# --- every parameter matters


CHANGES = {
    "oracle": [({}, {"oracle": {"logistic": {"C": 1e-3}}})],
    "cold_start": [
        ({}, {"cold_start": None}),
        ({}, {"cold_start": Smoothing(a=1, b=10)}),
        ({}, {"cold_start": (QUICK, Smoothing(a=1, b=10))}),
        ({}, {"cold_start": MABFirst(a=1, b=1, m=5)}),
        ({}, {"cold_start": MABFirst(a=4, b=1, m=1)}),
        ({}, {"cold_start": MABFirst(a=1, b=4, m=1)}),
        ({"cold_start": Smoothing(a=1, b=10)}, {"cold_start": Smoothing(a=9, b=10)}),
        ({"cold_start": Smoothing(a=1, b=10)}, {"cold_start": Smoothing(a=1, b=1.01)}),
    ],
    "exclusive_rewards": [({}, {"exclusive_rewards": True})],
    "arm": [({"arm": 0}, {"arm": 1})],
    "explore_probability": [({}, {"explore_probability": 0.6})],
    "decay": [({}, {"decay": 0.8})],
    "turning_point": [({"turning_point": 20}, {"turning_point": 50})],
    "explore_rounds": [({}, {"explore_rounds": 5})],
    "exploit_rounds": [({}, {"exploit_rounds": 5})],
    "multiplier": [({}, {"multiplier": 0.1})],
    "inflation": [({}, {"inflation": 1.2})],
    "percentile": [({}, {"percentile": 55})],
    "n_resamples": [({}, {"n_resamples": 3})],
    "weights": [({"weights": "gamma(1,1)"}, {"weights": "uniform"})],
    "kept": [({"weights": "poisson", "kept": False}, {"weights": "poisson", "kept": True})],
    "threshold": [({}, {"threshold": 0.95})],
    "window": [({}, {"window": 5})],
    "moving": [({}, {"moving": False})],
    "explore": [({}, {"explore": "max"})],
    "width": [({}, {"width": 0.1})],
    "alpha": [({}, {"alpha": 100.0})],
    "C": [({}, {"C": 0.01})],
    "streaming": [({}, {"streaming": False})],
    "excess_loss": [({}, {"excess_loss": 10.0})],
    "scale": [({}, {"scale": 0.1})],
    "exponent": [({}, {"exponent": 0.0})],
}


BEFORE_AND_AFTER = [
    pytest.param(
        name,
        before,
        after,
        id=f"{name}-{parameter}-{number}",
        marks=more_unless(number < 3 or name in (*FEW_POLICIES, "BestArmOnline")),
    )
    for name in NAMES
    for parameter in sorted(policy_parameters(name))
    for number, (before, after) in enumerate(CHANGES[parameter])
    if name in WITH_ORACLE or parameter == "arm" or isinstance(after["cold_start"], MABFirst)
    if not (name == "BestArmOnline" and number == 3)  # its prior's threshold plays no part
]


@pytest.mark.parametrize(("name", "before", "after"), BEFORE_AND_AFTER)
def test_every_parameter_of_every_policy_has_an_effect(name, before, after):
    def arms(options, seed):
        return play(name, seed=seed, **options).rounds["arm"]

    # one short run may by chance have no round in which it decides
    assert any((arms(before, seed) != arms(after, seed)).any() for seed in range(3))
