"""Tables and figures of the coverage study."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.studies.coverage.models import MODELS
from cbkit.studies.coverage.plots import coverage_curves, difference_heatmap, weight_differences
from cbkit.studies.coverage.readings import READING, rank_readings, shown_readings, try_readings
from cbkit.studies.coverage.results import conclusions, read, write
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


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


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


def test_the_heat_map_prints_each_difference(study, ax):
    compared = against_paper(summarise(study))
    difference_heatmap(compared, ax)
    printed = sorted(float(text.get_text()) for text in ax.texts)
    expected = sorted(float(f"{value:.1f}") for value in compared["standard_errors"])
    assert printed == pytest.approx(expected)


def test_curves_show_the_means_and_refuse_two_tables_in_one_panel(study, ax):
    cells = summarise(study)
    coverage_curves(cells, ax)
    bootstrap = cells[cells["weights"] == "bootstrap"]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), bootstrap["mean_pct"])
    two = pd.concat([cells, cells.assign(table="other")])
    with pytest.raises(ValueError, match="one panel shows one table"):
        coverage_curves(two, ax)


def test_differences_are_drawn_where_the_table_has_them(study, ax):
    compared = compare_weights(study)
    part = compared[compared["sample_sizes"] == "all"]
    weight_differences(part, ax, margin_pct=2)
    drawn = sorted(container.lines[0].get_xdata()[0] for container in ax.containers)
    assert drawn == pytest.approx(sorted(part["difference_pct"]))


def test_results_are_written_rounded_and_unknown_ones_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    write({"cells": pd.DataFrame({"mean_pct": [1 / 3]})})
    written = tmp_path / "data" / "results" / "coverage_cells.csv"
    assert written.read_text() == "mean_pct\n0.3333\n"
    with pytest.raises(ValueError, match="no committed table 'cell'"):
        read("cell")


def test_the_conclusions_name_the_numbers_of_the_tables():
    agreement = pd.DataFrame({"table": ["linear"], "verdict": "reproduces"})
    reading = dict.fromkeys(READING, "") | {
        "table": "logistic_correlated",
        "N(0, 0.5)": "variance",
        "intercept": -2,
        "ridge": 0.001,
        "target": "complement",
        "rms_difference_pct": 1.25,
        "verdict": "near",
    }
    summary = pd.DataFrame({"table": ["linear", "logistic_correlated"], "weights": "uniform"})
    summary = summary.assign(sample_sizes="below 100", difference_pct=[-7.04, -8.9])
    cells = pd.DataFrame({"table": ["logistic_correlated"], "sample_size": 10})
    cells = cells.assign(weights="poisson", one_label_pct=23.71)
    results = {"agreement": agreement, "readings": pd.DataFrame([reading]), "cells": cells}
    text = conclusions(results | {"summary": summary}, ["linear", "logistic_correlated"])
    assert "linear *reproduces*" in text
    assert "compares the complement" in text and "off by 1.2 points, *near*" in text
    assert "Uniform(0,1) minus the bootstrap: -8.9 to -7.0 points (n below 100)" in text
    assert "Resamples with one label, logistic correlated, n = 10: Poisson(1) 23.7%" in text
