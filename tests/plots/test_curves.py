"""Claims about curves: labels apart, honest axes and captions, few lines to a panel."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import PolyCollection

from cbkit.plots import curves as plots
from cbkit.plots import style
from cbkit.plots.end_labels import EndLabel, spread

POLICIES = ("BestArmInHindsight", *(name for name in style.LOOKS if "Hindsight" not in name))


@pytest.fixture(autouse=True)
def styled():
    plots.use_style()
    yield
    plt.close("all")
    plt.rcdefaults()


def curves(policies=POLICIES, n_replicates=4, variants=("full refit",), spacing=0.001):
    """Curves that end within `spacing` of each other."""
    marks = np.arange(50, 1001, 50)
    return pd.concat(
        pd.DataFrame(
            {
                "dataset": "demo",
                "variant": variant,
                "policy": policy,
                "seed": seed,
                "round": marks,
                "mean_reward": (0.3 + spacing * i + 0.01 * seed) * marks / 1000,
                "explored_share": 1 / (1 + marks / 100),
            }
        )
        for variant in variants
        for i, policy in enumerate(policies)
        for seed in range(n_replicates)
    ).reset_index(drop=True)


def end_labels(ax):
    return [child for child in ax.get_children() if isinstance(child, EndLabel)]


def assert_labels_apart(ax):
    ax.figure.canvas.draw()
    boxes = [plt.Text.get_window_extent(label) for label in end_labels(ax)]
    for first, second in itertools.combinations(boxes, 2):
        assert not first.overlaps(second)
    for box in boxes:
        assert box.x0 > ax.bbox.x1
        assert ax.figure.bbox.x0 <= box.x0 and box.x1 <= ax.figure.bbox.x1
        assert ax.figure.bbox.y0 <= box.y0 and box.y1 <= ax.figure.bbox.y1


@pytest.mark.parametrize("spacing", [0.0, 0.0005, 0.05])
def test_end_labels_of_all_policies_do_not_overlap(spacing):
    ax = plots.learning_curves(curves(spacing=spacing))
    assert len(end_labels(ax)) == len(POLICIES) >= 13
    assert_labels_apart(ax)


def test_end_labels_have_room_without_the_style_too():
    plt.rcdefaults()
    assert_labels_apart(plots.learning_curves(curves(["Greedy", "BestArmInHindsight"])))


def test_end_labels_stay_apart_when_limits_and_size_change_later():
    ax = plots.learning_curves(curves())
    ax.set_ylim(0, 2)
    ax.figure.set_size_inches(7, 4)
    ax.figure.set_dpi(200)
    assert_labels_apart(ax)


def test_labels_of_two_panels_stay_out_of_the_other_panel():
    fig = plots.curve_panels(curves(["Greedy", "mine"], variants=("full refit", "mini-batch")))
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["full refit", "mini-batch"]
    for ax in fig.axes:
        assert_labels_apart(ax)
    ends = [plt.Text.get_window_extent(x).x1 for x in end_labels(fig.axes[0])]
    assert max(ends) < fig.axes[1].bbox.x0
    assert fig.axes[0].get_ylim() == fig.axes[1].get_ylim()


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=20),
    st.floats(0.001, 0.2),
)
def test_spread_keeps_order_and_gap_and_leaves_well_spaced_positions_alone(positions, gap):
    positions = np.array(positions)
    moved = spread(positions, gap)
    order = np.argsort(positions, kind="stable")
    assert (np.diff(moved[order]) >= gap - 1e-9).all()
    assert np.isclose(moved.mean(), positions.mean())
    if len(positions) == 1 or (np.diff(positions[order]) >= gap).all():
        np.testing.assert_allclose(moved, positions, atol=1e-12)
    if gap * (len(positions) - 1) <= 1:
        bounded = spread(positions, gap, 0, 1)
        assert bounded.min() >= -1e-9 and bounded.max() <= 1 + 1e-9


def test_reward_axis_starts_at_zero_and_names_its_unit():
    ax = plots.learning_curves(curves())
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylabel() == "mean reward per round so far"


def test_wide_bands_of_a_noisy_start_do_not_flatten_the_lines():
    table = curves(["Greedy"], n_replicates=2)
    table.loc[table["round"] == 50, "mean_reward"] = table["seed"].astype(float)
    highest = table.groupby("round")["mean_reward"].mean().iloc[-1]
    assert plots.learning_curves(table).get_ylim()[1] == pytest.approx(1.3 * highest)


def test_panels_share_the_reward_axis_of_the_better_one():
    table = curves(["Greedy"], variants=("full refit", "mini-batch"))
    table.loc[table["variant"] == "mini-batch", "mean_reward"] /= 10
    tops = [ax.get_ylim()[1] for ax in plots.curve_panels(table).axes]
    assert tops[0] == tops[1] > table["mean_reward"].max()


def test_many_policies_get_a_panel_per_family_with_the_others_in_grey():
    fig = plots.family_panels(curves())
    panels = [ax for ax in fig.axes if ax.get_visible()]
    assert len(panels) == len(style.FAMILIES)
    for ax in panels:
        assert 1 <= len(end_labels(ax)) <= plots.MOST_LINES
        assert_labels_apart(ax)
        grey = [line for line in ax.lines if line.get_color() == style.LIGHT_GREY]
        assert len(grey) >= len(POLICIES) - 1 - plots.MOST_LINES
    assert len({ax.get_ylim() for ax in panels}) == 1


def test_the_lowest_panel_of_each_column_says_its_rounds():
    panels = [ax for ax in plots.family_panels(curves()).axes if ax.get_visible()]
    labelled = [ax.xaxis.get_tick_params()["labelbottom"] for ax in panels]
    assert labelled == [False] * (len(panels) - 3) + [True] * 3


def test_policies_of_ones_own_share_panels_of_at_most_six():
    fig = plots.family_panels(curves([f"mine {i}" for i in range(8)]))
    counts = [len(end_labels(ax)) for ax in fig.axes if ax.get_visible()]
    assert counts == [6, 2]


def test_figure_states_the_interval_and_n():
    assert "95% t interval over replicates, n = 4" in plots.learning_curves(curves()).get_xlabel()
    uneven = pd.concat([curves(["Greedy"], 4), curves(["RandomArm"], 6)])
    assert "n = 4 to 6" in plots.learning_curves(uneven).get_xlabel()


def test_one_replicate_has_no_band_and_the_figure_says_so():
    ax = plots.learning_curves(curves(["Greedy"], n_replicates=1))
    assert "no interval" in ax.get_xlabel()
    assert not any(isinstance(drawn, PolyCollection) for drawn in ax.collections)


def test_each_policy_has_a_band_or_dots_by_its_own_replicates():
    table = pd.concat([curves(["Greedy"], 2), curves(["mine"], 5)])
    ax = plots.learning_curves(table)
    (dots,) = [drawn for drawn in ax.collections if not isinstance(drawn, PolyCollection)]
    assert len(dots.get_offsets()) == 2
    bands = [drawn.get_datalim(ax.transData) for drawn in ax.collections if drawn is not dots]
    assert [bool(np.isfinite(band.get_points()).all()) for band in bands] == [False, True]


def test_fewer_than_four_replicates_are_dots_not_bands():
    ax = plots.learning_curves(curves(["Greedy", "mine"], n_replicates=3))
    assert "dots: replicates, n = 3" in ax.get_xlabel()
    (dots,) = ax.collections
    assert sorted(dots.get_offsets()[:, 1].round(6)) == [0.3, 0.301, 0.31, 0.311, 0.32, 0.321]


def test_band_is_the_t_interval():
    ax = plots.learning_curves(curves(["Greedy"], n_replicates=4))
    at_end = ax.collections[0].get_paths()[0].vertices
    at_end = at_end[at_end[:, 0] == 1000, 1]
    # rewards 0.30 to 0.33: standard deviation 0.0129099, t(0.975, 3) = 3.18245
    half = 3.182446 * 0.0129099 / np.sqrt(4)
    np.testing.assert_allclose(
        [at_end.min(), at_end.max()], [0.315 - half, 0.315 + half], atol=1e-6
    )


def test_lines_of_a_table_with_bounds_have_these_as_bands():
    table = pd.DataFrame({"x": [1, 2], "name": "a", "mid": [2.0, 3.0], "lo": [1, 1], "hi": [4, 9]})
    ax = plt.subplots()[1]
    look = {"a": {"color": "#000000", "dashes": ""}}
    plots.banded_lines(table, ax, x="x", columns=("mid", "lo", "hi"), hue="name", styles=look)
    assert ax.lines[0].get_ydata().tolist() == [2, 3]
    corners = ax.collections[0].get_paths()[0].vertices
    assert {(1, 1), (1, 4), (2, 1), (2, 9)} <= set(map(tuple, corners.tolist()))


def test_best_arm_in_hindsight_is_a_level_dashed_grey_line():
    ax = plots.learning_curves(curves(["BestArmInHindsight", "Greedy"]))
    line = next(line for line in ax.lines if line.get_color() == style.GREY)
    assert line.get_linestyle() == "--"
    np.testing.assert_allclose(line.get_ydata(), 0.315)


@pytest.mark.parametrize(
    "table, message",
    [
        (curves().drop(columns="seed"), r"needs the columns \['seed'\]"),
        (curves(variants=("a", "b")), "one panel shows one variant"),
        (curves().iloc[:0], "no rows"),
    ],
)
def test_curves_that_do_not_fit_one_panel_are_refused(table, message):
    with pytest.raises(ValueError, match=message):
        plots.learning_curves(table)


def test_exploration_share_runs_from_zero_to_one():
    ax = plots.learning_curves(curves(["Greedy", "mine"]), value="explored_share")
    assert ax.get_ylim() == (0, 1)
    assert ax.get_ylabel() == "share of rounds explored so far"
    assert_labels_apart(ax)
