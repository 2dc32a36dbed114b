"""Tables of the evaluation: what its runs earned, did and cost, and comparisons on them."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.studies.evaluation import figures
from cbkit.studies.evaluation.experiment import (
    AUTHORS,
    AUTHORS_FOR_ALL,
    LAPLACE,
    PAPERS,
    SGD,
    SKYLINE,
    TUNED,
    paper_evaluation,
    run_all,
)
from cbkit.studies.evaluation.tables import (
    beside_greedy,
    choosing,
    compared,
    final_table,
    kept_against_fresh,
    shown_curves,
    with_cost,
)
from cbkit.workbook.gallery import GALLERY
from cbkit.workbook.tables import thinned


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two replicates of the whole evaluation on the demo, and one that chooses, 60 rounds."""
    folder = str(tmp_path_factory.mktemp("runs"))
    plan = paper_evaluation(
        "demo", folder=folder, n_replicates=2, n_choosing=1, n_skyline=1, n_rounds=60
    )
    return run_all(plan)


def test_versions_beside_the_two_settings_can_have_fewer_replicates_and_two_play_everywhere():
    sizes = {"folder": "runs", "n_replicates": 9, "n_variants": 4, "n_choosing": 3, "n_skyline": 1}
    plan = {next(iter(e.variants)): e for e in paper_evaluation("demo", **sizes)}
    n_runs = {name: e.n_replicates for name, e in plan.items()}
    assert n_runs == {
        PAPERS: 12, AUTHORS: 12, AUTHORS_FOR_ALL: 7, TUNED: 7, "smoothing (1, 2)": 7,
        SGD: 4, LAPLACE: 4, SKYLINE: 1,
    }  # fmt: skip
    few = paper_evaluation("demo", **sizes, all_variants=False)
    found = [next(iter(e.variants)) for e in few]
    assert found == [PAPERS, AUTHORS, AUTHORS_FOR_ALL, TUNED, SKYLINE]


def test_finals_have_the_cpu_seconds_of_each_run(results):
    finals = with_cost(results)
    assert "error" not in finals and len(finals) == len(results.finals)
    assert finals["cpu_seconds"].sum() >= results.cpu_seconds > 0  # some variants share runs
    table = final_table(finals)
    means = finals.groupby(["variant", "policy"], sort=False)["cpu_seconds"].mean()
    np.testing.assert_allclose(table["CPU seconds"], means)
    assert set(compared(finals).groupby(["variant", "policy"])["seed"].nunique()) == {1, 2}
    assert set(choosing(finals)["seed"]) == {9}


def test_failed_runs_are_refused(results):
    failed = results.finals.iloc[:1].assign(error="ValueError: no", traceback="")
    with pytest.raises(ValueError, match="1 runs failed"):
        with_cost(type(results)(**{**vars(results), "failures": failed}))


def test_thinned_curves_keep_every_fourth_point_and_the_last(results):
    curves = thinned(results.curves)
    assert len(curves) * 4 == len(results.curves)
    assert set(curves.groupby(["variant", "policy", "seed"])["round"].max()) == {60}
    shown = shown_curves(curves)
    assert set(shown["variant"]) == {PAPERS, AUTHORS, TUNED, SKYLINE} and shown["seed"].min() == 10


def test_figures_of_a_run_say_that_the_data_are_planted(results):
    curves, finals = thinned(results.curves), with_cost(results)
    drawn = [figures.papers_curves(curves), figures.tuned_curves(curves)]
    drawn += [figures.prior_dots(finals), figures.update_dots(finals)]
    drawn += [figures.setting_dots(finals), figures.exploration_dots(finals)]
    drawn.append(figures.setting_differences(finals))
    for fig in drawn:
        assert "demo (planted)" in fig.get_suptitle()
        plt.close(fig)


def test_a_long_title_goes_on_in_a_second_line(results):
    finals = with_cost(results).assign(dataset="mediamill-like-reduced")
    lines = figures.setting_dots(finals).get_suptitle().strip().splitlines()
    assert len(lines) == 2 and max(map(len, lines)) < figures.WIDEST_TITLE
    plt.close("all")


def test_the_best_arm_in_hindsight_is_on_the_axis_also_where_it_beats_every_policy(results):
    finals = with_cost(results)
    best = finals["policy"] == "BestArmInHindsight"
    high = finals.assign(mean_reward=finals["mean_reward"].mask(best, 2.0))
    ax = figures.setting_dots(high).axes[0]
    assert ax.lines[-1].get_xdata() == [2.0, 2.0] and ax.get_xlim()[1] > 2
    plt.close("all")


def test_where_no_mini_batches_played_there_is_no_figure_of_them(results):
    finals = with_cost(results)
    finals = finals[~finals["variant"].str.startswith("mini-batch")]
    assert figures.update_dots(finals) is None
    drawing = GALLERY["evaluation"]["updates"]
    assert list(drawing.figures([finals], "updates")) == []


def test_without_runs_there_are_no_rows():
    assert beside_greedy(pd.DataFrame(), ["ActiveExplorer"]).empty
    assert kept_against_fresh(pd.DataFrame()).empty


def test_kept_weights_are_compared_with_fresh_ones_of_the_same_policy_on_full_refits():
    levels = {"BootstrappedUCB": 0.2, "OnlineBootstrappedUCB": 0.25}
    levels |= {"BootstrappedTS": 0.3, "OnlineBootstrappedTS": 0.26, "Greedy": 0.9}
    runs = pd.DataFrame(
        {"variant": variant, "policy": name, "seed": seed, "mean_reward": level + seed / 100}
        for variant in (PAPERS, SGD)
        for name, level in levels.items()
        if variant == PAPERS or name.startswith("Online")
        for seed in range(3)
    ).assign(dataset="d", checksum="c", n_rounds=9)
    table = kept_against_fresh(runs)
    assert list(table["variant"]) == [PAPERS] * 2
    differences = table.set_index("policy")["difference"]
    assert differences.to_dict() == pytest.approx({"UCB": 0.05, "TS": -0.04})
