"""Each claim compares what it says, on tables made up for the purpose."""

import numpy as np
import pandas as pd
import pytest

from cbkit.experiments.stats import mean_interval
from cbkit.policies.registry import policy_names
from cbkit.studies.claims.all_claims import CLAIMS
from cbkit.studies.claims.appendix import variance_gap
from cbkit.studies.claims.verdicts import judge
from cbkit.studies.coverage.tables import paper_tables
from cbkit.studies.evaluation.experiment import AUTHORS, FIRST_SEED, LAPLACE, PAPERS, SGD, TUNED
from cbkit.studies.evaluation.tables import beside_greedy

BY_NUMBER = {claim.number: claim for claim in CLAIMS}
NOISE = np.array([-0.002, -0.001, 0.0, 0.001, 0.002])
ADAPTIVE = "ContextualAdaptiveGreedy"


def runs(levels, *, first=0, dataset="bibtex", variant=PAPERS, noise=NOISE, **columns):
    """Runs of five replicates each; the i-th policy gets the noise rolled by i."""
    return pd.concat(
        pd.DataFrame(
            {
                "dataset": dataset,
                "variant": variant,
                "policy": policy,
                "seed": range(first, first + len(noise)),
                "checksum": dataset,
                "n_rounds": 100,
                "row_order": "r",
                "mean_reward": level + np.roll(noise, position),
                "cpu_seconds": 10 * level,
                **columns,
            }
        )
        for position, (policy, level) in enumerate(levels.items())
    )


def evaluation(changes=None, *, mini=0.05, dataset="bibtex", choosing=None):
    """All policies at 0.2, the best arms at 0.1, mini-batches at `mini`, but for the changes.

    On the choosing seeds `choosing` is changed instead.
    """
    levels = dict.fromkeys(policy_names(), 0.2)
    levels |= {"BestArmOnline": 0.05, "BestArmInHindsight": 0.1, "RandomArm": 0.01}
    changes = changes or {}
    before = changes if choosing is None else choosing
    parts = [
        runs(levels | before, dataset=dataset),
        runs(levels | changes, dataset=dataset, first=FIRST_SEED),
    ]
    small = {name: mini for name, level in levels.items() if level == 0.2}
    for variant in (SGD, LAPLACE):
        parts.append(runs(small, dataset=dataset, variant=variant, first=FIRST_SEED))
    return pd.concat(parts, ignore_index=True)


def judged(number, table):
    """The verdict row of one claim, and its comparisons in the paper's setting."""
    claim = BY_NUMBER[number]
    table, comparisons = judge([claim], {claim.needs: table})
    return table.iloc[0], comparisons[comparisons["setting"] == PAPERS]


def test_claims_are_numbered_and_say_what_they_need():
    assert list(BY_NUMBER) == list(range(1, 19))
    assert all(claim.text.endswith(".") and claim.test.endswith(".") for claim in CLAIMS)


# On the evaluation


@pytest.mark.parametrize(
    ("number", "changes", "expected"),
    [
        (1, {"BootstrappedUCB": 0.3, "OnlineBootstrappedUCB": 0.3}, "supported"),
        (1, {"BootstrappedUCB": 0.3, "OnlineBootstrappedUCB": 0.15}, "mixed"),
        (1, {"BootstrappedUCB": 0.07, "OnlineBootstrappedUCB": 0.07}, "refuted"),
        (2, {ADAPTIVE: 0.3}, "supported"),
        (2, {ADAPTIVE: 0.3, "EpsilonGreedy": 0.4}, "refuted"),
        (2, {ADAPTIVE: 0.3, "Greedy": 0.4, "SmoothedGreedy": 0.4}, "supported"),
        (3, {}, "supported"),
        (3, {"ActiveAdaptiveGreedy": 0.25}, "refuted"),
        (3, {"ActiveAdaptiveGreedy": 0.15}, "refuted"),
        (3, {"ContextualAdaptiveGreedy2": 0.25}, "mixed"),
        (4, {"ContextualAdaptiveGreedy2": 0.1}, "supported"),
        (4, {"ContextualAdaptiveGreedy2": 0.3}, "refuted"),
        (4, {}, "refuted"),
        (12, {}, "supported"),
        (12, {"BestArmInHindsight": 0.3}, "refuted"),
        (12, {"EpsilonGreedy": 0.4, "BestArmInHindsight": 0.3}, "mixed"),
        (13, {ADAPTIVE: 0.3}, "supported"),
        (13, {ADAPTIVE: 0.1}, "refuted"),
        (13, {ADAPTIVE: 0.25, "BootstrappedTS": 0.3}, "mixed"),
        (14, {ADAPTIVE: 0.1}, "supported"),
        (14, {ADAPTIVE: 0.3}, "refuted"),
    ],
)
def test_claims_on_the_evaluation(number, changes, expected):
    assert judged(number, evaluation(changes))[0]["verdict"] == expected


def test_the_rival_of_the_best_policy_is_chosen_on_other_seeds_than_the_comparison():
    table = evaluation({ADAPTIVE: 0.3, "BootstrappedTS": 0.4}, choosing={"ExploreThenExploit": 0.4})
    row, comparisons = judged(2, table)
    assert comparisons["second"].tolist() == ["ExploreThenExploit"]
    assert comparisons["difference"].tolist() == pytest.approx([0.1], abs=0.002)
    assert row["n"] == "5"


def test_the_line_of_the_paper_is_the_best_arm_in_hindsight_with_the_online_one_beside():
    claim = BY_NUMBER[1]
    _, found = judge([claim], {claim.needs: evaluation()})
    levels = found[found["second"].str.startswith("BestArm")].groupby("setting")["second"].unique()
    assert {name: list(values) for name, values in levels.items()} == {
        PAPERS: ["BestArmInHindsight"],
        f"{PAPERS}, online": ["BestArmOnline"],
    }


def test_other_settings_are_compared_with_policies_that_have_none():
    papers = evaluation({"ExploreThenExploit": 0.5})
    tuned = runs({ADAPTIVE: 0.3, "EpsilonGreedy": 0.2}, variant=TUNED, first=FIRST_SEED)
    authors = runs({ADAPTIVE: 0.3, "EpsilonGreedy": 0.1}, variant=AUTHORS, first=FIRST_SEED)
    row, _ = judged(12, pd.concat([papers, tuned, authors]))
    assert (row["verdict"], row[TUNED], row[AUTHORS]) == ("supported",) * 3
    row, _ = judged(12, papers)
    assert (row[TUNED], row[AUTHORS]) == ("", "")


@pytest.mark.parametrize(
    ("mini", "expected"),
    [
        (0.05, ["supported", "supported", "supported"]),
        (0.15, ["supported", "supported", "contradicted"]),
        (0.195, ["equivalent", "equivalent", "contradicted"]),
    ],
)
def test_claim_on_mini_batches(mini, expected):
    assert judged(5, evaluation(mini=mini))[1]["outcome"].tolist() == expected


def test_that_every_policy_suffers_is_tested_on_the_least_harmed():
    table = evaluation()
    chosen = (table["policy"] == "ActiveExplorer") & (table["variant"] == SGD)
    table.loc[chosen, "mean_reward"] = 0.23 + NOISE
    _, comparisons = judged(5, table)
    assert comparisons["second"].tolist()[1] == "ActiveExplorer"
    assert comparisons["outcome"].tolist() == ["supported", "contradicted", "contradicted"]


def test_variants_that_were_not_played_are_not_needed_but_for_their_own_claim():
    table = evaluation()
    assert len(judged(5, table[table["variant"] != LAPLACE])[1]) == 3
    without = table[table["variant"] == PAPERS]
    assert judged(5, without)[0]["reason"] == "there are no runs of mini-batch, SGD"
    assert judged(2, table[table["variant"] == SGD])[0]["reason"] == (
        "there are no runs of paper's text"
    )


def test_variants_with_fewer_replicates_are_compared_on_those_they_have():
    table = evaluation()
    few = (table["variant"] == SGD) & (table["seed"] > FIRST_SEED + 2)
    assert judged(5, table[~few])[1]["n"].tolist() == [3, 3, 3]


def test_beside_greedy_counts_equal_replicates_and_exploration():
    table = evaluation({"ActiveAdaptiveGreedy": 0.3}).assign(explored_share=0.25)
    table = table[(table["variant"] == PAPERS) & (table["seed"] >= FIRST_SEED)]
    greedy = table.loc[table["policy"] == "Greedy", "mean_reward"].to_numpy()
    table.loc[table["policy"] == ADAPTIVE, "mean_reward"] = greedy
    beside = beside_greedy(table, [ADAPTIVE, "ActiveAdaptiveGreedy"]).set_index("policy")
    assert beside["n_equal"].to_dict() == {ADAPTIVE: 5, "ActiveAdaptiveGreedy": 0}
    assert set(beside["explored_share"]) == {0.25}
    assert beside.loc[ADAPTIVE, ["difference", "low", "high"]].tolist() == [0] * 3


# On cold starts and their constants


def grid(levels, policies=("BootstrappedUCB", "EpsilonGreedy"), noise=NOISE):
    """Rewards per cold start, the same for all policies but for a constant."""
    return pd.concat(
        runs(
            {policy: level + 0.01 * position},
            variant=label,
            family=label.partition(" (")[0],
            noise=noise,
        )
        for position, policy in enumerate(policies)
        for label, level in levels.items()
    )


LEVELS = {
    "no cold start": 0.1,
    "MAB-first (1, 1, 2)": 0.15,
    "MAB-first (3, 7, 3)": 0.15,
    "MAB-first (3, 7, 2)": 0.5,
    "smoothing (1, 2)": 0.3,
    "smoothing (1, 100)": 0.05,
}


def test_cold_starts_are_compared_at_their_worst_as_suggested_and_at_their_best():
    row, comparisons = judged(6, grid(LEVELS))
    assert row["verdict"] == "mixed"
    assert comparisons["who"].str.startswith("BootstrappedUCB").all()
    found = comparisons.set_index(["who", "question"])["difference"]
    assert found["BootstrappedUCB, MAB-first"].tolist() == pytest.approx([0.05, 0.05])
    assert found["BootstrappedUCB, smoothing"].tolist() == pytest.approx([-0.05, 0.2])
    assert found["BootstrappedUCB"].tolist() == pytest.approx([-0.15, 0.2])


def test_variance_over_constants_is_compared_with_that_over_policies():
    wide = judged(7, grid({"no cold start": 0.9, "MAB-first (1)": 0.3, "smoothing (1)": 0.1}))
    assert wide[0]["verdict"] == "supported"
    assert wide[1]["difference"].tolist() == pytest.approx([0.02 - 0.00005], abs=1e-5)
    narrow = judged(7, grid({"MAB-first (1)": 0.3, "smoothing (1)": 0.3}))
    assert narrow[0]["verdict"] == "refuted"
    assert judged(7, grid(LEVELS, noise=NOISE[:2]))[0]["reason"] == (
        "spreads need three replicates, got 2"
    )


def supported_share(effects, noise, rng, repeats=400):
    """How often the interval of the gap lies above 0, with effects (constants, policies)."""
    constants, policies = effects
    found = 0
    for _ in range(repeats):
        made = constants[:, None] + policies + noise(rng, (10, len(constants), len(policies)))
        found += mean_interval(variance_gap(made)).low > 0
    return found / repeats


def lopsided(rng, shape):
    return rng.choice([0.0, 0.0, 0.0, 2.0], size=shape)


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [lambda rng, shape: rng.normal(size=shape), lopsided])
def test_noise_alone_supports_no_more_than_five_percent(noise):
    nothing = np.zeros(13), np.zeros(3)
    share = supported_share(nothing, noise, np.random.default_rng(0))
    assert share < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.statistical
def test_equal_variances_are_called_different_as_often_as_the_interval_says():
    rng = np.random.default_rng(1)
    effects = tuple(
        values / values.std(ddof=1) for values in map(rng.normal, (0, 0), (1, 1), (13, 3))
    )
    share = supported_share(effects, lambda rng, shape: rng.normal(size=shape), rng)
    assert share == pytest.approx(0.025, abs=4 * np.sqrt(0.025 * 0.975 / 400))


@pytest.mark.parametrize(
    ("number", "names", "half", "expected"),
    [
        (8, ("BootstrappedUCB", "BootstrappedTS"), 0.2, "supported"),
        (8, ("BootstrappedUCB", "BootstrappedTS"), 0.3, "mixed"),
        (16, ("EpsilonGreedy",), 0.2, "supported"),
    ],
)
def test_all_arms_are_compared_with_half_and_with_the_fewest_at_their_best_constants(
    number, names, half, expected
):
    table = pd.concat(
        runs({name: level}, variant=variant, n_arms=n_arms, checksum=f"{n_arms} arms")
        for name in ("BootstrappedUCB", "BootstrappedTS", "EpsilonGreedy")
        for variant, n_arms, level in [
            *(("a", 20, 0.2), ("a", 80, half), ("a", 159, 0.3)),
            *(("b", 20, 9), ("b", 80, 9), ("b", 159, 0)),
        ]
    )
    row, comparisons = judged(number, table)
    assert set(comparisons["who"]) == set(names)
    assert comparisons["second"].tolist() == ["80 arms", "20 arms"] * len(names)
    assert row["verdict"] == expected


def test_weighted_norm_is_compared_with_min_and_max_where_a_little_counts():
    parts = [
        runs({"ActiveExplorer": level + gain}, criterion=criterion, variant=prior)
        for criterion, level in {"weighted": 0.3, "min": 0.3, "max": 0.297}.items()
        for prior, gain in {
            "prior 3, 7, 2": 0,
            "prior 5/k, 4, 2": 0.3 * (criterion == "weighted"),
        }.items()
    ]
    parts.append(runs({"Greedy": 0.5}, variant="prior 3, 7, 2", criterion=None))
    table = pd.concat(parts)
    row, comparisons = judged(9, table.assign(algorithm=table["policy"]))
    assert comparisons["outcome"].tolist() == ["identical", "supported"]
    assert row[TUNED] == "supported"


@pytest.mark.parametrize(("labels", "expected"), [(1.0, "supported"), (2.4, "refuted")])
def test_shared_rewards_should_help_where_one_arm_is_rewarded(labels, expected):
    table = pd.concat(
        runs({"BootstrappedUCB": level}, variant=variant, labels_per_row=labels, noise=noise)
        for variant, level, noise in [
            ("plain", 0.2, NOISE),
            ("exclusive rewards", 0.205, -NOISE / 9),
        ]
    )
    assert judged(11, table)[0]["verdict"] == expected


# On bounds


def summary(gamma):
    return pd.DataFrame(
        {
            "table": "linear",
            "sample_sizes": sizes,
            "weights": weights,
            "baseline": "bootstrap",
            "difference_pct": difference,
            "low_pct": difference - 0.5,
            "high_pct": difference + 0.5,
            "n_pairs": 50,
            "baseline_mean_pct": 70.0,
        }
        for sizes in ("all", "below 100")
        for weights, difference in {"gamma_1_1": gamma, "poisson": 0.1, "uniform": -8}.items()
    )


def test_coverage_counts_by_sample_size_within_two_points():
    assert judged(10, summary(-1.0))[0]["verdict"] == "supported"
    row, comparisons = judged(10, summary(-3.0))
    assert row["verdict"] == "mixed"
    assert comparisons["outcome"].tolist() == ["contradicted", "supported", "supported"]


def test_the_paper_s_own_table_contradicts_equal_coverage_of_small_samples():
    claim = BY_NUMBER[10]
    _, found = judge([claim], {claim.needs: summary(0.0)})
    own = found[(found["setting"] == "the paper's own table") & (found["who"] == "gamma_1_1")]
    linear = own[own["dataset"].str.startswith("linear")].set_index("question")["difference"]
    cells = paper_tables().query("table == 'linear' and sample_size < 100")
    means = cells.groupby("weights")["mean_pct"].mean()
    expected = means["gamma_1_1"] - means["bootstrap"]
    assert linear["minus bootstrap, samples below 100"] == pytest.approx(expected)
    assert expected == pytest.approx(-5.346)


def cells(changes=None, std=None):
    """Coverage 70 with a spread of 20 everywhere, but for changes by table or by weights."""
    rows = [
        {"table": table, "weights": weights, "sample_size": size, "n_samples": 1000}
        for table in (
            *("linear", "linear_correlated", "linear_small_bias"),
            *("logistic_independent", "logistic_correlated"),
        )
        for weights in ("bootstrap", "poisson", "gamma_1_1")
        for size in (10, 15, 25, 100)
    ]
    made = pd.DataFrame(rows)
    made["mean_pct"] = made["table"].map(changes or {}).fillna(70.0)
    made["std_pct"] = made["weights"].map(std or {}).fillna(20.0) + made["sample_size"] / 1e4
    return made


@pytest.mark.parametrize(
    ("spread", "expected"), [(15, "supported"), (25, "refuted"), (20, "refuted")]
)
def test_stability_of_weights_is_the_spread_of_coverage_at_small_samples(spread, expected):
    row, comparisons = judged(15, cells(std={"gamma_1_1": spread}))
    assert (row["verdict"], set(comparisons["n"])) == (expected, {3})


def test_small_intercepts_are_compared_with_large_ones_and_with_80_percent():
    assert judged(17, cells())[0]["verdict"] == "refuted"
    row, comparisons = judged(17, cells({"linear_small_bias": 95.0}))
    assert row["verdict"] == "supported"
    assert comparisons["difference"].tolist() == pytest.approx([25, 15] * 3)
    half = 1.96 * np.sqrt(2 * 20**2 / 4000)
    assert comparisons["high"].iloc[0] - 25 == pytest.approx(half, rel=0.01)


def test_correlated_features_should_lower_logistic_coverage_and_leave_linear():
    assert judged(18, cells({"logistic_correlated": 60.0}))[0]["verdict"] == "supported"
    row, comparisons = judged(18, cells({"linear_correlated": 60.0}))
    assert row["verdict"] == "refuted" and len(comparisons) == 6
