"""Tables and figures of the coverage study."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.studies.coverage import plots
from cbkit.studies.coverage.models import MODELS
from cbkit.studies.coverage.readings import READING, rank_readings, shown_readings, try_readings
from cbkit.studies.coverage.study import run_study
from cbkit.studies.coverage.tables import (
    against_paper,
    agreement,
    choice_table,
    compare_weights,
    paper_tables,
    summarise,
)

SMALL = {"sample_sizes": (10, 100), "n_samples": 6, "n_test": 50}


@pytest.fixture(scope="module")
def study():
    return run_study([MODELS["linear"]], **SMALL)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def cells_like_the_paper(**changes):
    paper = paper_tables()
    fixed = {"ridge": 0.0, "n_resamples": 10, "percentile": 80, "target": "expected"}
    fixed |= {"n_samples": 100, "n_test": 1000, "point_spread_pct": 0.0}
    return paper.assign(**(fixed | changes))


def test_the_paper_against_itself_differs_by_nothing():
    table = agreement(against_paper(cells_like_the_paper()), ["table"])
    assert (table["n_cells"] == 80).all()
    assert (table["rms_difference_pct"] == 0).all()
    assert (table["verdict"] == "reproduces").all()


def test_a_difference_is_counted_in_standard_errors_of_both_means():
    cells = cells_like_the_paper(std_pct=30.0, point_spread_pct=20.0)
    cells["mean_pct"] += 7
    first = against_paper(cells).iloc[0]
    error = np.sqrt(30**2 / 100 + first["paper_std_pct"] ** 2 / 100 + 20**2 * 2 / 1000)
    assert first["standard_errors"] == pytest.approx(7 / error)


def test_weights_are_compared_on_the_same_samples(study):
    shifted = study[study["weights"] == "bootstrap"]
    pair = pd.concat(
        [shifted, shifted.assign(weights="poisson", coverage_pct=lambda t: t["coverage_pct"] - 5)]
    )
    row = compare_weights(pair).iloc[0]
    assert row["difference_pct"] == pytest.approx(-5)
    assert row["low_pct"] == pytest.approx(-5)
    assert (row["n_pairs"], row["verdict"]) == (12, "lower")
    with pytest.raises(ValueError, match="baseline 'jackknife' is not among"):
        compare_weights(study, "jackknife")


def test_the_choice_is_the_fewest_resamples_and_then_the_lowest_percentile():
    study = run_study(
        [MODELS["linear"]],
        sample_sizes=(150,),
        weights=("bootstrap",),
        n_resamples=(5, 20),
        percentiles=(50, 80, 95),
        n_samples=40,
        n_test=100,
    )
    cells = summarise(study)
    means = cells.set_index(["n_resamples", "percentile"])["mean_pct"]
    table = choice_table(cells, wanted=(means[5, 80] + 1, means[20, 95], 101.1))
    assert list(table["bootstrap"]) == ["5 at 80", "20 at 95", "-"]


def test_readings_differ_in_what_they_name_and_the_nearest_come_first():
    compared = try_readings(
        ridges=(1.0,), weights=("bootstrap",), targets=("expected", "linear predictor"), **SMALL
    )
    ranked = rank_readings(compared)
    assert len(ranked) == 16 * 2
    assert not ranked.duplicated(READING).any()
    score = ranked["rms_standard_errors"] * ranked["std_factor"]
    assert score.groupby(ranked["table"]).is_monotonic_increasing.all()
    shown = shown_readings(compared)
    assert (shown.groupby(["table", "label"]).size() == len(SMALL["sample_sizes"])).all()


def test_the_heat_map_prints_each_difference(study):
    compared = against_paper(summarise(study))
    ax = plots.difference_heatmaps(compared).axes[0]
    printed = sorted(float(text.get_text()) for text in ax.texts)
    expected = sorted(float(f"{value:.1f}") for value in compared["standard_errors"])
    assert printed == pytest.approx(expected)


def test_curves_show_the_means_of_each_kind_of_weights(study):
    cells = summarise(study)
    ax = plots.coverage_curves(cells).axes[0]
    for name, line in zip(plots.LOOKS, ax.lines, strict=False):
        means = cells[cells["weights"] == name].sort_values("sample_size")["mean_pct"]
        np.testing.assert_allclose(line.get_ydata(), means)
    assert len(ax.collections) == len(plots.LOOKS)  # a band each


def test_differences_are_drawn_where_the_table_has_them(study):
    compared = compare_weights(study)
    ax = plots.weight_differences(compared).axes[0]
    part = compared[compared["sample_sizes"] == "below 100"]
    drawn = np.concatenate([line.get_xdata() for line in ax.lines])
    for value in part[["difference_pct", "low_pct", "high_pct"]].to_numpy().ravel():
        assert np.isclose(drawn, value).any()


def test_readings_and_resamples_are_drawn_beside_the_papers_numbers():
    compared = try_readings(ridges=(1.0,), weights=("bootstrap",), targets=("expected",), **SMALL)
    shown = shown_readings(compared)
    fig = plots.reading_curves(shown)
    assert len(fig.axes) == 4
    marks = [line for line in fig.axes[0].lines if line.get_marker() == "o"]
    paper = shown[shown["table"] == shown["table"].iloc[0]].drop_duplicates("sample_size")
    assert any(list(line.get_ydata()) == list(paper["paper_mean_pct"]) for line in marks)
    models = [MODELS[name] for name in plots.SHOWN[:2]]
    many = {"n_resamples": (5, 10), "percentiles": (80, 90, 95)}
    cells = summarise(run_study(models, weights=("bootstrap",), **many, **SMALL))
    assert len(plots.resample_curves(cells).axes) == 6
