"""The appendix on cold starts and many arms: arithmetic solved by hand, sets and tables."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.experiments.run import run_experiment
from cbkit.studies.claims.appendix import APPENDIX_CLAIMS
from cbkit.studies.claims.verdicts import judge
from cbkit.studies.cold_start import figures, study, tables
from cbkit.studies.evaluation.experiment import run_all


def runs(levels, *, n=2, noise=0.0, **columns):
    """Runs with the mean reward of each (policy, variant); `noise` up and down around it."""
    rows = [
        {"policy": policy, "variant": variant, "seed": seed, "mean_reward": level + offset}
        for (policy, variant), level in levels.items()
        for seed, offset in enumerate(np.resize([noise, -noise], n))
    ]
    same = {"dataset": "d", "n_rounds": 9, "checksum": "c"} | columns
    return pd.DataFrame(rows).assign(**same)


# Variance


def test_purely_additive_effects_leave_nothing_to_interaction():
    # Constants -.15 or +.15, policy -.05 or +.05: variances .0225 and .0025, 90% and 10%.
    levels = {("A", "c"): 0.1, ("B", "c"): 0.2, ("A", "d"): 0.4, ("B", "d"): 0.5}
    shares = tables.variance_shares(runs(levels))
    assert shares["constants_pct"] == pytest.approx(90)
    assert shares["policy_pct"] == pytest.approx(10)
    assert shares["interaction_pct"] == pytest.approx(0, abs=1e-9)
    assert (shares["constants_std"], shares["policy_std"]) == pytest.approx((0.15, 0.05))
    assert shares["noise_pct"] == pytest.approx(0, abs=1e-9)


def test_crossed_effects_are_all_interaction():
    levels = {("A", "c"): 0.1, ("B", "c"): 0.3, ("A", "d"): 0.3, ("B", "d"): 0.1}
    shares = tables.variance_shares(runs(levels))
    assert shares["interaction_pct"] == pytest.approx(100)


def test_noise_share_is_that_of_the_means_over_replicates():
    # Two replicates .1 around each mean: variance .02, of the mean .01; all means: variance .025.
    levels = {("A", "c"): 0.1, ("B", "c"): 0.2, ("A", "d"): 0.4, ("B", "d"): 0.5}
    shares = tables.variance_shares(runs(levels, noise=0.1))
    assert shares["noise_pct"] == pytest.approx(100 * 0.01 / 0.025)


def test_missing_or_uneven_runs_are_refused():
    levels = {("A", "c"): 0.1, ("B", "c"): 0.2, ("A", "d"): 0.4, ("B", "d"): 0.5}
    with pytest.raises(ValueError, match="same runs under every variant"):
        tables.variance_shares(runs(levels).iloc[:-1])
    with pytest.raises(ValueError, match="same runs under every variant"):
        tables.variance_shares(runs(levels).iloc[:-2])


# Experiments


def test_grid_has_no_cold_start_and_the_suggested_sets_under_labels_that_claims_read():
    grid = study.grid_experiment("demo", folder="outputs/try", n_replicates=1)
    assert grid.variants["no cold start"] == {"cold_start": None}
    assert grid.variants["MAB-first (1, 1, 2)"]["cold_start"] == {
        "MABFirst": {"a": 1, "b": 1, "m": 2}
    }
    assert {"MAB-first (3, 7, 3)", "MAB-first (5/k, 4, 2)"} <= set(grid.variants)
    assert {study.FAMILY[label] for label in grid.variants} == {
        "MAB-first",
        "smoothing",
        "no cold start",
    }


def test_arm_subsets_differ_between_replicates_and_all_arms_are_the_grids_runs():
    first, second = study.many_arms_experiments("demo", folder="outputs/try", n_replicates=2)
    sets = [one.datasets["15 arms"]() for one in (first, second)]
    assert [one.n_arms for one in sets] == [15, 15]
    assert sets[0].arm_names != sets[1].arm_names
    grid = study.grid_experiment("demo", folder="outputs/try", n_replicates=2)
    known = {run.task.key for run in grid.runs()}
    whole = [run for run in second.runs() if run.dataset == "60 arms"]
    assert len(whole) == 9 and {run.task.key for run in whole} <= known


def test_subset_for_exclusive_rewards_has_about_one_label_per_row():
    experiment = study.sharing_experiment("demo", folder="outputs/try", n_replicates=1)
    few = experiment.datasets["demo[arms=33]"]()
    assert few.labels.nnz / few.n_rows == pytest.approx(1, abs=0.25)
    digits = study.sharing_experiment("digits", folder="outputs/try", n_replicates=1)
    assert list(digits.datasets) == ["digits"]


# Tables and figures


def test_gain_of_more_arms_is_paired_by_replicate():
    parts = [
        runs({("BootstrappedUCB", "c"): level}, n_arms=n_arms, noise=0.1)
        for n_arms, level in [(5, 0.2), (10, 0.9), (20, 0.5)]
    ]
    gains = tables.arm_gains(pd.concat(parts))
    assert gains.iloc[0][["few", "many"]].tolist() == [5, 20]
    assert gains.iloc[0][["difference", "low", "high"]].tolist() == pytest.approx([0.3] * 3)


def test_best_constants_of_the_families_are_compared():
    levels = {
        "no cold start": 0.1,
        "MAB-first (1)": 0.3,
        "MAB-first (2)": 0.05,
        "smoothing (1)": 0.2,
    }
    table = runs({("BootstrappedUCB", name): level for name, level in levels.items()})
    table["family"] = table["variant"].str.replace(r" \(.*", "", regex=True)
    compared = tables.cold_start_comparisons(table).set_index("question")["difference"]
    assert compared.to_dict() == pytest.approx(
        {
            "best MAB-first - best smoothing": 0.1,
            "best MAB-first - none": 0.2,
            "worst MAB-first - none": -0.05,
            "best smoothing - none": 0.1,
            "worst smoothing - none": 0.1,
        }
    )


def test_gain_of_exclusive_rewards_comes_with_the_arms_that_were_fitted():
    parts = [
        runs({("Greedy", "plain"): 0.5}, labels_per_row=1.0, n_fitted_arms=10),
        runs({("Greedy", "exclusive rewards"): 0.3}, labels_per_row=1.0, n_fitted_arms=8),
    ]
    gains = tables.sharing_gains(pd.concat(parts))
    facts = ["difference", "plain_mean", "plain_fitted", "exclusive_fitted"]
    assert gains.loc[0, facts].tolist() == pytest.approx([-0.2, 0.5, 10, 8])


def test_tables_of_a_small_run_feed_the_claims_and_the_figures(tmp_path, monkeypatch):
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    few = ("no cold start", *study.MANY_ARMS_COLD_STARTS, "smoothing (1, 2)")
    monkeypatch.setattr(study, "COLD_STARTS", {name: study.COLD_STARTS[name] for name in few})
    size = {"folder": str(tmp_path / "runs"), "n_replicates": 3, "n_rounds": 60}
    grid = study.grid_table(run_experiment(study.grid_experiment("demo", **size)).finals)
    arms = run_all(study.many_arms_experiments("demo", **size)).finals
    sharing = study.sharing_experiment("demo", **size)
    made = {
        "grid": grid,
        "many_arms": study.many_arms_table(arms, "demo"),
        "exclusive_rewards": study.sharing_table(run_experiment(sharing).finals, sharing),
    }
    claims = [claim for claim in APPENDIX_CLAIMS if claim.number in (6, 7, 8, 11)]
    named = {f"cold_start_and_many_arms/{name}": table for name, table in made.items()}
    _, comparisons = judge(claims, named)
    assert comparisons.groupby("claim").size().to_dict() == {6: 12, 7: 1, 8: 4, 11: 6}
    gains = tables.sharing_gains(made["exclusive_rewards"])
    assert gains["labels_per_row"].round(2).tolist()[0] == 1.80
    assert len(figures.grid_dots(grid).axes) == 3
    few_runs = made["many_arms"]
    panels = figures.arm_lines(few_runs).axes
    dots = sum(len(marks.get_offsets()) for ax in panels for marks in ax.collections)
    assert len(panels) == 3 and dots == len(few_runs)  # three replicates are too few for a band
    assert len(figures.sharing_dots(made["exclusive_rewards"]).axes) == 2
    assert len(figures.variance_bars(grid).axes[0].patches) == 4 * 3
    plt.close("all")
