"""Verdicts follow from intervals by stated rules, on tables made up for the purpose."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.policies.registry import policy_names
from cbkit.studies.claims.appendix import APPENDIX_CLAIMS
from cbkit.studies.claims.evaluation import EVALUATION_CLAIMS
from cbkit.studies.claims.plots import effects
from cbkit.studies.claims.verdicts import (
    Claim,
    UntestableError,
    judge,
    outcome,
    verdict,
)
from cbkit.studies.evaluation.tables import beside_greedy

CLAIMS = {claim.number: claim for claim in (*EVALUATION_CLAIMS, *APPENDIX_CLAIMS)}
NOISE = np.array([-0.002, -0.001, 0.0, 0.001, 0.002])


def runs(levels, *, dataset="bibtex", variant="full refit", noise=NOISE, **columns):
    """Final rewards of five replicates; the i-th policy gets the noise rolled by i."""
    return pd.concat(
        pd.DataFrame(
            {
                "dataset": dataset,
                "variant": variant,
                "policy": policy,
                "seed": range(len(noise)),
                "checksum": dataset,
                "n_rounds": 100,
                "row_order": "r",
                "mean_reward": level + np.roll(noise, position),
                **columns,
            }
        )
        for position, (policy, level) in enumerate(levels.items())
    )


def evaluation(changes=None, *, mini=0.05, dataset="bibtex", **more):
    """All policies at 0.2, the best arms at 0.1, mini-batches at `mini`, but for the changes."""
    levels = dict.fromkeys(policy_names(), 0.2)
    levels |= {"BestArmOnline": 0.1, "BestArmInHindsight": 0.1, "RandomArm": 0.01}
    parts = [runs(levels | (changes or {}), dataset=dataset, **more)]
    small = {name: mini if level == 0.2 else level for name, level in levels.items()}
    parts.append(runs(small, dataset=dataset, variant="mini-batch", **more))
    return pd.concat(parts, ignore_index=True)


def judged(number, table):
    """The verdict row and comparisons of one claim."""
    claim = CLAIMS[number]
    table, comparisons = judge([claim], {claim.needs: table})
    return table.iloc[0], comparisons


# The rules


@pytest.mark.parametrize(
    ("low", "high", "claimed", "margin", "expected"),
    [
        (0.1, 0.2, "above", 0.0, "supported"),
        (-0.1, 0.2, "above", 0.0, "open"),
        (-0.2, -0.1, "above", 0.0, "contradicted"),
        (0.0, 0.0, "above", 0.0, "contradicted"),
        (0.1, 0.3, "above", 0.2, "open"),
        (-0.05, 0.3, "above", -0.1, "supported"),
        (-0.2, -0.1, "below", 0.0, "supported"),
        (-0.2, -0.1, "below", 0.15, "open"),
        (0.1, 0.2, "below", 0.0, "contradicted"),
        (-0.1, 0.1, "near", 0.1, "supported"),
        (-0.1, 0.2, "near", 0.1, "open"),
        (0.11, 0.2, "near", 0.1, "contradicted"),
        (-0.2, -0.11, "near", 0.1, "contradicted"),
        (0.0, 0.0, "near", 0.1, "supported"),
        (np.nan, np.nan, "above", 0.0, "open"),
        (np.nan, np.nan, "near", 0.0, "open"),
    ],
)
def test_outcome_is_where_the_whole_interval_lies(low, high, claimed, margin, expected):
    assert outcome(low, high, claimed, margin) == expected


def test_outcome_refuses_another_claim():
    with pytest.raises(ValueError, match="claimed must be above, below or near, got 'over'"):
        outcome(0, 1, "over")


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["supported", "supported"], "holds"),
        (["supported", "open"], "holds in part"),
        (["supported", "contradicted"], "holds in part"),
        (["contradicted", "open"], "does not hold"),
        (["open", "open"], "not testable here"),
        ([], "not testable here"),
    ],
)
def test_verdict_follows_from_the_outcomes(outcomes, expected):
    assert verdict(outcomes) == expected


def test_planted_and_tuned_comparisons_have_verdicts_of_their_own():
    table = pd.concat(
        [
            evaluation({"ContextualAdaptiveGreedy2": 0.1}),
            runs(dict.fromkeys(policy_names(), 0.2), variant="tuned prior"),
            evaluation({"ContextualAdaptiveGreedy": 0.1}, dataset="mediamill-like"),
        ]
    )
    row, comparisons = judged(4, table)
    assert (row["verdict"], row["tuned prior"], row["planted"]) == (
        "holds",
        "not testable here",
        "does not hold",
    )
    assert (row["supported"], row["open"], row["contradicted"]) == (1, 0, 0)
    assert list(comparisons["planted"]) == [False, False, True]


def test_claim_without_its_table_is_not_testable_and_says_why():
    table, comparisons = judge(CLAIMS.values(), {})
    assert set(table["verdict"]) == {"not testable here"} and comparisons.empty
    assert (
        table["reason"].iloc[-1] == "there is no table cold_start_and_many_arms/exclusive_rewards"
    )
    assert list(table["claim"]) == list(range(1, 12))


def test_claim_without_real_data_or_without_a_decision_says_so():
    row, _ = judged(4, evaluation(dataset="mediamill-like"))
    assert (row["verdict"], row["planted"]) == ("not testable here", "not testable here")
    assert row["reason"] == "there are no real data at hand"
    assert judged(4, evaluation())[0]["reason"].startswith("every interval is open")
    assert judged(3, evaluation())[0]["reason"] == ""


def test_claim_whose_runs_are_not_there_says_which():
    row, _ = judged(4, evaluation().query("policy != 'ContextualAdaptiveGreedy2'"))
    assert row["verdict"] == "not testable here"
    assert row["reason"] == "there are no runs of ContextualAdaptiveGreedy2"


def test_unpaired_runs_are_refused():
    table = evaluation()
    table.loc[(table["policy"] == "ContextualAdaptiveGreedy") & (table["seed"] == 2), "seed"] = 7
    with pytest.raises(ValueError, match="ContextualAdaptiveGreedy2 are not paired"):
        judged(4, table)


# The claims on the evaluation


@pytest.mark.parametrize(
    ("number", "changes", "expected"),
    [
        (1, {"BootstrappedUCB": 0.3, "OnlineBootstrappedUCB": 0.3}, "holds"),
        (1, {"BootstrappedUCB": 0.3, "OnlineBootstrappedUCB": 0.15}, "holds in part"),
        (1, {"BootstrappedUCB": 0.05, "OnlineBootstrappedUCB": 0.05}, "does not hold"),
        (2, {"ContextualAdaptiveGreedy": 0.3}, "holds"),
        (2, {"ContextualAdaptiveGreedy": 0.3, "EpsilonGreedy": 0.4}, "does not hold"),
        (2, {"ContextualAdaptiveGreedy": 0.3, "Greedy": 0.4}, "holds"),
        (3, {}, "holds"),
        (3, {"ActiveAdaptiveGreedy": 0.25}, "does not hold"),
        (3, {"ActiveAdaptiveGreedy": 0.15}, "does not hold"),
        (3, {"ContextualAdaptiveGreedy2": 0.25}, "holds in part"),
        (4, {"ContextualAdaptiveGreedy2": 0.1}, "holds"),
        (4, {"ContextualAdaptiveGreedy2": 0.3}, "does not hold"),
        (4, {}, "not testable here"),
    ],
)
def test_claims_of_full_refits(number, changes, expected):
    assert judged(number, evaluation(changes))[0]["verdict"] == expected


@pytest.mark.parametrize(
    ("mini", "outcomes"),
    [
        (0.05, ["supported"] * 4),
        (0.15, ["supported"] * 2 + ["contradicted"] * 2),
        (0.195, ["contradicted"] * 4),
    ],
)
def test_claim_of_mini_batches(mini, outcomes):
    _, comparisons = judged(5, evaluation(mini=mini))
    assert list(comparisons["outcome"]) == outcomes


def test_claim_that_every_policy_suffers_looks_at_the_least_harmed():
    table = evaluation()
    rows = (table["policy"] == "ActiveExplorer") & (table["variant"] == "mini-batch")
    table.loc[rows, "mean_reward"] = 0.21
    row, comparisons = judged(5, table)
    assert comparisons["comparison"].iloc[1].startswith("least harmed: ActiveExplorer, mini-batch")
    assert list(comparisons["outcome"][:2]) == ["supported", "contradicted"]
    assert row["verdict"] == "holds in part"


def test_holding_on_some_data_sets_is_in_part():
    table = pd.concat(
        [
            evaluation({"ContextualAdaptiveGreedy": 0.3}),
            evaluation({"EpsilonGreedy": 0.3}, dataset="delicious"),
        ]
    )
    row, comparisons = judged(2, table)
    assert row["verdict"] == "holds in part"
    assert list(comparisons["comparison"].str.split(" minus ").str[1])[1] == "EpsilonGreedy"


def test_tuned_runs_are_compared_with_policies_that_have_no_prior():
    full = {"ExploreThenExploit": 0.5}
    tuned = dict.fromkeys(set(policy_names()) - set(full), 0.3)
    _, comparisons = judged(2, pd.concat([evaluation(full), runs(tuned, variant="tuned prior")]))
    assert list(comparisons["setting"]) == ["paper's constants", "tuned prior"]
    assert comparisons["difference"].round(1).tolist() == [-0.3, -0.2]


def test_beside_greedy_counts_equal_replicates_and_exploration():
    table = evaluation({"ActiveAdaptiveGreedy": 0.3}).assign(explored_share=0.25)
    table = table[table["variant"] == "full refit"]
    greedy = table.loc[table["policy"] == "Greedy", "mean_reward"].to_numpy()
    table.loc[table["policy"] == "ContextualAdaptiveGreedy", "mean_reward"] = greedy
    beside = beside_greedy(table, ["ContextualAdaptiveGreedy", "ActiveAdaptiveGreedy"])
    beside = beside.set_index("policy")
    assert beside["n_equal"].to_dict() == {"ContextualAdaptiveGreedy": 5, "ActiveAdaptiveGreedy": 0}
    assert set(beside["explored_share"]) == {0.25}
    assert beside.loc["ContextualAdaptiveGreedy", ["difference", "low", "high"]].tolist() == [0] * 3


# The claims on the appendix


def grid(levels, policies=("BootstrappedUCB", "EpsilonGreedy")):
    """Rewards per cold start, the same for all policies but for a constant."""
    parts = []
    for position, policy in enumerate(policies):
        for label, level in levels.items():
            family = "no cold start" if label == "no cold start" else label.rsplit(" ", 1)[0]
            made = runs({policy: level + 0.01 * position}, variant=label, family=family)
            parts.append(made)
    return pd.concat(parts, ignore_index=True)


def test_cold_starts_are_compared_with_none_at_best_and_at_worst_without_uniform_policies():
    levels = {"no cold start": 0.1, "MAB-first 1": 0.3, "MAB-first 2": 0.05, "smoothing 1": 0.2}
    row, comparisons = judged(6, grid(levels))
    assert row["verdict"] == "holds in part" and len(comparisons) == 5
    assert comparisons["comparison"].str.startswith("BootstrappedUCB").all()
    assert list(comparisons["outcome"]) == [*["supported", "contradicted"], *["supported"] * 3]


def test_spread_over_constants_is_compared_with_that_over_policies():
    wide = {"no cold start": 0.9, "MAB-first 1": 0.3, "smoothing 1": 0.1}
    assert judged(7, grid(wide))[0]["verdict"] == "holds"
    narrow = {"MAB-first 1": 0.3, "smoothing 1": 0.301}
    _, comparisons = judged(7, grid(narrow))
    assert list(comparisons["outcome"]) == ["contradicted"]
    assert comparisons["reference"].iloc[0] == pytest.approx(0.01 / np.sqrt(2))


@pytest.mark.parametrize(("many", "expected"), [(0.3, "holds"), (0.1, "does not hold")])
def test_more_arms_are_compared_at_the_constants_that_are_good_for_them(many, expected):
    parts = [
        runs({name: level}, variant=variant, n_arms=n_arms)
        for name in ("BootstrappedUCB", "BootstrappedTS", "EpsilonGreedy")
        for variant, n_arms, level in [
            ("a", 20, 0.2),
            ("a", 159, many),
            ("b", 20, 9),
            ("b", 159, 0),
        ]
    ]
    row, comparisons = judged(8, pd.concat(parts))
    assert row["verdict"] == expected and len(comparisons) == 2
    assert comparisons["comparison"].iloc[0] == "BootstrappedUCB, a, 159 arms minus 20 arms"


def test_weighted_norm_is_compared_with_min_and_max():
    parts = [
        runs({"ActiveExplorer": level + gain}, criterion=criterion, variant=prior)
        for criterion, level in {"weighted": 0.3, "min": 0.2, "max": 0.4}.items()
        for prior, gain in {
            "prior 3, 7, 2": 0,
            "prior 5/k, 4, 2": 0.3 * (criterion == "weighted"),
        }.items()
    ]
    parts.append(runs({"Greedy": 0.5}, variant="prior 3, 7, 2"))
    table = pd.concat(parts)
    row, comparisons = judged(9, table.assign(algorithm=table["policy"]))
    assert (row["verdict"], row["tuned prior"]) == ("holds in part", "holds")
    assert list(comparisons["outcome"]) == ["supported", "contradicted", "supported", "supported"]


def test_coverage_counts_by_sample_size_within_two_points():
    rows = [("gamma_1_1", -3.0), ("poisson", 0.1), ("uniform", -8.0), ("gamma_2_2", -6.0)]
    summary = pd.DataFrame(
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
        for weights, difference in rows
    )
    row, comparisons = judged(10, summary)
    assert row["verdict"] == "holds in part"
    assert list(comparisons["outcome"]) == ["contradicted", "supported", "supported"]


@pytest.mark.parametrize(("labels", "expected"), [(1.0, "holds"), (2.4, "does not hold")])
def test_shared_rewards_should_help_where_one_arm_is_rewarded(labels, expected):
    parts = [
        runs({"BootstrappedUCB": level}, variant=variant, labels_per_row=labels)
        for variant, level in {"plain": 0.2, "exclusive rewards": 0.22}.items()
    ]
    assert judged(11, pd.concat(parts))[0]["verdict"] == expected


# Tables and figure


def test_reasons_of_a_claim_are_its_own():
    def refuse(table):
        raise UntestableError("no such runs")

    claim = Claim(number=1, text="a", test="b", needs="t", compare=refuse)
    table, _ = judge([claim], {"t": pd.DataFrame({"x": [1]})})
    assert table["reason"].tolist() == ["no such runs"]


def test_figure_of_a_claim_has_a_panel_per_real_data_set_and_a_row_per_comparison():
    table = pd.concat([evaluation(), evaluation(dataset="mediamill-like")])
    _, comparisons = judge(EVALUATION_CLAIMS[:1], {"evaluation/finals": table})
    fig = effects(comparisons)
    assert [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes] == ["bibtex, n = 5"]
    assert len(fig.axes[0].get_yticks()) == 4
    plt.close(fig)
    with pytest.raises(ValueError, match="nothing to draw"):
        effects(comparisons[comparisons["planted"]])
    with pytest.raises(ValueError, match="a figure shows one claim, got"):
        effects(comparisons.assign(claim=range(len(comparisons))))


def test_every_panel_has_a_scale_of_its_own_that_holds_all_intervals():
    table = pd.concat([evaluation({"BootstrappedUCB": 0.9}), evaluation(dataset="delicious")])
    _, comparisons = judge(EVALUATION_CLAIMS[:1], {"evaluation/finals": table})
    first, second = effects(comparisons).axes
    scale = 100 / comparisons["reference"].abs()
    highest = (comparisons["high"] * scale).groupby(comparisons["dataset"]).max()
    assert first.get_xlim()[1] > highest["bibtex"] > 2 * highest["delicious"]
    assert second.get_xlim()[1] < highest["bibtex"]
    plt.close("all")
