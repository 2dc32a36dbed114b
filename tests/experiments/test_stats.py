"""Claims about intervals, paired comparisons, ranks and result tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from cbkit import load_dataset, make_policy, simulate
from cbkit.experiments.run import Experiment, run_experiment
from cbkit.experiments.stats import (
    holm,
    paired_difference,
    paired_differences,
)
from cbkit.experiments.tables import average_ranks, result_table, to_latex, to_markdown


def runs(rewards, policy="Greedy", dataset="demo", variant="full refit", **columns):
    """One row per replicate, as the experiments write them."""
    table = {
        "dataset": dataset,
        "checksum": f"sum of {dataset}",
        "policy": policy,
        "variant": variant,
        "seed": range(len(rewards)),
        "n_rounds": 100,
        "mean_reward": rewards,
    }
    return pd.DataFrame(table | columns)


def test_paired_difference_is_the_interval_and_test_of_the_differences():
    first, second = [0.30, 0.35, 0.29, 0.40], [0.28, 0.30, 0.30, 0.33]
    result = paired_difference(runs(first), runs(second).iloc[::-1])
    test = scipy_stats.ttest_rel(first, second)
    assert result["difference"] == pytest.approx(np.mean(np.subtract(first, second)))
    assert result["p_t"] == pytest.approx(test.pvalue)
    assert result["low"] == pytest.approx(test.confidence_interval().low)
    assert result["p_wilcoxon"] == pytest.approx(scipy_stats.wilcoxon(first, second).pvalue)
    assert result["n"] == 4


@pytest.mark.parametrize(
    ("differences", "p_value"),
    [
        ([1, 1, 1, 2, -1], 10 / 32),  # ranks 2.5, 2.5, 2.5, 5, 2.5: 12.5 or more in 5 of 32 ways
        ([0, 1, 1, 1, 2, -1], 10 / 32),  # no difference tells nothing
        ([1, 1, 1], 2 / 8),
        ([1, 1, -2], 1.0),
        ([-3], 1.0),
    ],
)
def test_signed_ranks_are_exact_with_ties(differences, p_value):
    rewards = np.array([4.0] * (len(differences) + 1))
    first = pd.DataFrame({"seed": range(len(rewards)), "mean_reward": rewards})
    first = first.assign(checksum="a", n_rounds=10)
    second = first.assign(mean_reward=rewards - [0, *differences])
    assert paired_difference(first, second)["p_wilcoxon"] == pytest.approx(p_value)


def test_pairing_removes_what_the_replicates_share():
    noise = np.random.default_rng(0).normal(0, 0.1, 10)
    small = 0.01 + np.random.default_rng(1).normal(0, 0.001, 10)
    result = paired_difference(runs(0.3 + noise + small), runs(0.3 + noise))
    assert 0 < result["low"] < 0.01 < result["high"] < 0.02


@pytest.mark.parametrize(
    "difference, p_value", [(0.0, 1.0), (0.25, 0.0)], ids=["coinciding", "constant"]
)
def test_policies_that_always_differ_alike_are_no_crash(difference, p_value):
    result = paired_difference(
        runs([0.5, 0.25, 0.75]), runs([0.5, 0.25, 0.75] - difference * np.ones(3))
    )
    assert result["difference"] == result["low"] == result["high"] == difference
    assert result["p_t"] == p_value


@pytest.mark.parametrize(
    "change, message",
    [
        ({"seed": [5, 6, 7]}, r"seeds differ, \[0, 1, 2\] and \[5, 6, 7\]"),
        ({"checksum": "other"}, "checksum differs at seed 0, sum of demo and other"),
        ({"n_rounds": [100, 90, 100]}, "n_rounds differs at seed 1, 100 and 90"),
        ({"row_order": ["a", "b", "z"]}, "row_order differs at seed 2, c and z"),
    ],
)
def test_unpaired_runs_are_refused_and_the_error_names_what_differs(change, message):
    first = runs([0.1, 0.2, 0.3], row_order=["a", "b", "c"])
    with pytest.raises(ValueError, match=message):
        paired_difference(first, first.assign(**change))


def test_missing_replicates_are_refused_in_the_table_too():
    with pytest.raises(ValueError, match="RandomArm on demo, full refit and Greedy on demo"):
        paired_differences(pd.concat([runs([0.1, 0.2]), runs([0.1], "RandomArm")]), "Greedy")


def test_unknown_reference_is_refused_with_the_choices():
    with pytest.raises(ValueError, match=r"no policy is named 'greedy'; choose from \['Greedy'\]"):
        paired_differences(runs([0.1]), "greedy")


def test_duplicate_seeds_are_refused():
    with pytest.raises(ValueError, match="more than one run with seed 0"):
        paired_difference(pd.concat([runs([0.1]), runs([0.1])]), runs([0.1, 0.2]))


def test_holm_agrees_with_hand_computed_numbers():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.02, np.nan, 0.9]), [0.04, np.nan, 0.9])
    np.testing.assert_allclose(holm([0.6, 0.7]), [1, 1])


def test_table_of_differences_covers_every_dataset_and_corrects_over_all():
    rng = np.random.default_rng(0)
    finals = pd.concat(
        runs(rng.random(5), policy, dataset)
        for dataset in ("a", "b")
        for policy in ("Greedy", "RandomArm", "BootstrappedUCB")
    )
    table = paired_differences(finals, "Greedy")
    assert list(table["policy"]) == ["RandomArm", "BootstrappedUCB"] * 2
    assert set(table["reference"]) == {"Greedy"}
    np.testing.assert_allclose(table["p_holm"], holm(table["p_t"]))


def test_variants_of_one_policy_can_be_compared():
    finals = pd.concat([runs([0.3, 0.4]), runs([0.2, 0.25], variant="mini-batch")])
    table = paired_differences(finals, "full refit", by="variant")
    assert table[["dataset", "variant", "policy"]].to_numpy().tolist() == [
        ["demo", "mini-batch", "Greedy"]
    ]
    assert table["difference"].item() == pytest.approx(-0.125)


def test_average_ranks_share_ties_and_order_best_first():
    finals = pd.concat(
        runs([reward], policy, dataset)
        for dataset, rewards in {"a": (0.1, 0.3, 0.3), "b": (0.1, 0.2, 0.3)}.items()
        for policy, reward in zip("XYZ", rewards, strict=True)
    )
    ranks = average_ranks(finals)
    assert ranks["average"].to_dict() == {"Z": 1.25, "Y": 1.75, "X": 3.0}
    assert list(ranks.columns) == ["a", "b", "average"]
    with pytest.raises(ValueError, match="Z has no run on b"):
        average_ranks(finals[(finals["policy"] != "Z") | (finals["dataset"] != "b")])


def test_result_table_shows_mean_interval_and_n():
    finals = pd.concat([runs([0.2, 0.21]), runs([0.5, 0.5], dataset="other")])
    table = result_table(finals)
    assert table.loc["Greedy"].to_dict() == {
        "demo (n = 2)": "0.205 ± 0.064",
        "other (n = 2)": "0.500 ± 0.000",
    }


def test_result_table_never_hides_single_runs_uneven_counts_or_gaps():
    finals = pd.concat(
        [runs([0.2, 0.21]), runs([0.5], "RandomArm"), runs([0.1], "RandomArm", "other")]
    )
    table = result_table(finals)
    assert table["demo"].to_dict() == {
        "Greedy": "0.205 ± 0.064 (n = 2)",
        "RandomArm": "0.500 (no interval) (n = 1)",
    }
    assert table["other (n = 1)"].to_dict() == {"Greedy": "", "RandomArm": "0.100 (no interval)"}


def test_variants_become_columns():
    finals = pd.concat([runs([0.3, 0.4]), runs([0.2, 0.25], variant="mini-batch")])
    assert list(result_table(finals)) == ["demo, full refit (n = 2)", "demo, mini-batch (n = 2)"]


def test_markdown_and_latex_hold_the_table():
    table = result_table(runs([0.2, 0.21], dataset="a_b"))
    assert to_markdown(table).splitlines() == [
        "| policy | a_b (n = 2) |",
        "|:--|--:|",
        "| Greedy | 0.205 ± 0.064 |",
    ]
    latex = to_latex(table, "Rewards, 95%.", label="tab:rewards").splitlines()
    assert r"policy & a\_b (n = 2) \\" in latex
    assert r"Greedy & 0.205 $\pm$ 0.064 \\" in latex
    assert [r"\caption{Rewards, 95\%.}", r"\label{tab:rewards}"] == latex[2:4]
    assert {r"\toprule", r"\midrule", r"\bottomrule"} <= set(latex)


def test_latex_of_differences_says_what_it_is_told_and_rounds():
    table = paired_differences(pd.concat([runs([0.1, 0.25]), runs([0.2, 0.3], "B")]), "B")
    latex = to_latex(table, "Differences from B.", digits=2)
    assert r"\caption{Differences from B.}" in latex and "interval" not in latex
    assert " -0.07 &" in latex and "0.075" not in latex
    assert "0000" not in latex
    assert r"\label" not in latex and r"\caption" not in to_latex(table)


@pytest.fixture(scope="module")
def logs():
    demo = load_dataset("demo")
    return {
        name: [
            simulate(make_policy(name, demo), demo, seed=seed, n_rounds=100) for seed in range(3)
        ]
        for name in ("RandomArm", "BestArmInHindsight")
    }


def test_logs_are_compared_as_their_facts_are(logs):
    both = [*logs["BestArmInHindsight"], *logs["RandomArm"]]
    table = paired_differences(both, "RandomArm")
    facts = pd.DataFrame([log.facts for log in both])
    pd.testing.assert_frame_equal(table, paired_differences(facts, "RandomArm"))
    assert table["policy"].tolist() == ["BestArmInHindsight"] and table["n"].tolist() == [3]
    pair = paired_difference(logs["BestArmInHindsight"], logs["RandomArm"])
    assert pair["difference"] == table["difference"].item()
    alone = paired_difference(logs["BestArmInHindsight"][0], logs["RandomArm"][0])
    assert alone["n"] == 1


def test_results_are_compared_as_their_finals_are(tmp_path):
    policies = ["RandomArm", "BestArmInHindsight"]
    experiment = Experiment(
        datasets=["demo"], policies=policies, folder=tmp_path, n_replicates=3, n_rounds=50
    )
    results = run_experiment(experiment)
    pd.testing.assert_frame_equal(
        paired_differences(results, "RandomArm"), paired_differences(results.finals, "RandomArm")
    )


def test_logs_of_other_rows_are_not_paired():
    demo = load_dataset("demo")
    few = demo.subset_arms(5, np.random.default_rng(0))
    first, second = (
        simulate(make_policy("RandomArm", data), data, seed=0, n_rounds=50) for data in (demo, few)
    )
    with pytest.raises(ValueError, match="not paired: their checksum differs"):
        paired_difference(first, second)


@pytest.mark.parametrize("runs", [3, "Greedy", [], [1], None])
def test_what_holds_no_runs_is_refused_with_what_it_takes(runs):
    with pytest.raises(ValueError, match=r"must be a table.*Results.*or a list of RunLogs"):
        paired_differences(runs, "Greedy")


def test_two_logs_in_place_of_runs_and_reference_are_answered_with_how_to_write_it(logs):
    with pytest.raises(ValueError, match=r"reference must be the name of a policy.*one list"):
        paired_differences(logs["RandomArm"], logs["BestArmInHindsight"])
    with pytest.raises(ValueError, match="by must be a column of the runs, got 'colour'"):
        paired_differences(logs["RandomArm"], "RandomArm", by="colour")
