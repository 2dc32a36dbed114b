"""Claims about dots: drawn where the table has them, intervals whole, replicates where few."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.experiments.stats import paired_differences
from cbkit.plots.dots import CLEAR, UNCLEAR, difference_dots, dots, interval_dots


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def finals(levels, n=10, spread=0.01, variants=("a",)):
    """Runs around the level of each policy; the same offsets in all of them."""
    offsets = spread * np.linspace(-1, 1, n)
    return pd.DataFrame(
        {
            "dataset": "d",
            "checksum": "c",
            "n_rounds": 9,
            "variant": variant,
            "policy": policy,
            "seed": seed,
            "mean_reward": level + offset,
        }
        for variant in variants
        for policy, level in levels.items()
        for seed, offset in enumerate(offsets)
    )


def spans(ax):
    """Ends of the intervals that are drawn, from the top row down."""
    ends = [(float(min(line.get_xdata())), float(max(line.get_xdata()))) for line in ax.lines
            if len(line.get_xdata()) == 2 and len(set(line.get_ydata())) == 1]  # fmt: skip
    return [(round(low, 6), round(high, 6)) for low, high in ends if low < high]


def test_dots_and_intervals_are_those_of_the_table():
    table = pd.DataFrame({"policy": ["x", "y"], "mean": [1.0, 2.0]})
    ax = dots(table.assign(low=[0.5, -1.0], high=[4.0, 2.5]), plt.subplots()[1])
    assert spans(ax) == [(0.5, 4.0), (-1.0, 2.5)]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["x", "y"]


def test_a_row_without_bounds_is_a_dot_alone():
    table = pd.DataFrame({"policy": ["x"], "mean": [1.0], "low": [np.nan], "high": [np.nan]})
    ax = dots(table, plt.subplots()[1])
    assert spans(ax) == []
    assert 1.0 in np.concatenate([line.get_xdata() for line in ax.lines])


def test_an_interval_below_zero_is_not_cut():
    fig = interval_dots(finals({"x": 0.01}, n=4, spread=0.05), {"mean_reward": "reward"})
    ax = fig.axes[0]
    assert ax.get_xlim()[0] < min(low for low, _ in spans(ax)) < 0


def test_an_axis_starts_at_zero_where_all_intervals_are_above():
    ax = interval_dots(finals({"x": 0.3, "y": 0.5}), {"mean_reward": "reward"}).axes[0]
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlim()[1] > 0.51


@pytest.mark.parametrize(("n", "n_dots", "n_lines"), [(10, 0, 1), (6, 6, 1), (3, 3, 0)])
def test_few_replicates_are_drawn_and_fewer_than_four_have_no_interval(n, n_dots, n_lines):
    fig = interval_dots(finals({"x": 0.3}, n=n), {"mean_reward": "reward"})
    ax = fig.axes[0]
    assert sum(len(points.get_offsets()) for points in ax.collections) == n_dots
    assert len(spans(ax)) == n_lines
    assert f"n = {n}" in fig.get_supxlabel()
    assert ("faint dots: replicates" in fig.get_supxlabel()) == (n == 6)


def test_best_rows_come_first_where_asked():
    runs = finals({"x": 0.1, "y": 0.5, "z": 0.3}, variants=("a", "b"))
    ax = interval_dots(runs, {"mean_reward": "reward"}, sort=True).axes[0]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["y", "z", "x"]
    names = [text.get_text() for legend in ax.figure.legends for text in legend.get_texts()]
    assert names == ["a", "b"]


def test_differences_are_blue_where_clear_and_each_panel_has_its_own_scale():
    rng = np.random.default_rng(0)
    runs = finals({"Greedy": 0.3, "better": 0.5, "same": 0.3}, variants=("a", "b"))
    runs["mean_reward"] += rng.normal(0, 0.01, len(runs))
    runs.loc[runs["variant"] == "b", "mean_reward"] /= 100
    table = paired_differences(runs, "Greedy")
    fig = difference_dots(table)
    first, second = fig.axes
    assert first.get_xlim()[1] > 20 * second.get_xlim()[1]
    colours = {line.get_color() for line in first.lines} & {CLEAR, UNCLEAR}
    assert colours == {CLEAR, UNCLEAR}
    assert "difference from Greedy" in fig.get_supxlabel()
    assert "Holm" in fig.get_supxlabel()
