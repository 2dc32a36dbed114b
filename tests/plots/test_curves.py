"""Claims about the figures: labels apart, honest axes and captions, the same bytes every time."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbkit.plots import curves as plots
from cbkit.plots import style
from cbkit.plots.end_labels import EndLabel, spread


@pytest.fixture(autouse=True)
def figures(tmp_path, monkeypatch):
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    plots.use_style()
    yield tmp_path / "figures"
    plt.close("all")
    plt.rcdefaults()


def curves(policies=tuple(style.STYLES), n_replicates=3, variants=("full refit",), spacing=0.001):
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
    assert len(end_labels(ax)) == len(style.STYLES) >= 13
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
    axes = plots.learning_curve_panels(curves(variants=("full refit", "mini-batch")))
    assert [ax.get_title(loc="left") for ax in axes] == ["full refit", "mini-batch"]
    for ax in axes:
        assert_labels_apart(ax)
    assert max(plt.Text.get_window_extent(x).x1 for x in end_labels(axes[0])) < axes[1].bbox.x0
    assert axes[0].get_ylim() == axes[1].get_ylim()


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
    tops = [ax.get_ylim()[1] for ax in plots.learning_curve_panels(table)]
    assert tops[0] == tops[1] > table["mean_reward"].max()


def test_figure_states_the_interval_and_n():
    assert "95% t interval over replicates, n = 3" in plots.learning_curves(curves()).get_xlabel()
    uneven = pd.concat([curves(["Greedy"], 2), curves(["RandomArm"], 4)])
    assert "n = 2 to 4" in plots.learning_curves(uneven).get_xlabel()


def test_one_replicate_has_no_band_and_the_figure_says_so():
    ax = plots.learning_curves(curves(["Greedy"], n_replicates=1))
    assert "no interval" in ax.get_xlabel()
    assert len(ax.collections) == 0


def test_band_is_the_t_interval():
    ax = plots.learning_curves(curves(["Greedy"], n_replicates=3))
    at_end = ax.collections[0].get_paths()[0].vertices
    at_end = at_end[at_end[:, 0] == 1000, 1]
    # rewards 0.30, 0.31, 0.32: standard deviation 0.01, t(0.975, 2) = 4.3027
    half = 4.302653 * 0.01 / np.sqrt(3)
    np.testing.assert_allclose([at_end.min(), at_end.max()], [0.31 - half, 0.31 + half], atol=1e-6)


def test_best_arm_in_hindsight_is_a_level_dashed_grey_line():
    ax = plots.learning_curves(curves(["BestArmInHindsight", "Greedy"]))
    line = next(line for line in ax.lines if line.get_color() == style.FAMILIES["baseline"])
    assert line.get_linestyle() == "--"
    np.testing.assert_allclose(line.get_ydata(), 0.31)
    assert list(line.get_xdata()) == [0, 1000]


def test_no_two_policies_look_the_same():
    looks = {(style.colour_of(name), str(style.linestyle_of(name))) for name in style.STYLES}
    assert len(looks) == len(style.STYLES)
    labels = ["Greedy", "Greedy (a=1)", "Greedy (a=2)", "EpsilonGreedy", "mine", "mine too"]
    styles = style.line_styles(labels)
    assert len({str(look) for look in styles.values()}) == len(labels)
    assert styles["Greedy"]["linestyle"] == "-" and styles["EpsilonGreedy"]["linestyle"] == "--"


def test_a_name_that_begins_like_another_keeps_its_own_family():
    assert style.linestyle_of("ContextualAdaptiveGreedy2") != style.linestyle_of(
        "ContextualAdaptiveGreedy"
    )
    assert style.colour_of("GreedyLike") == style.OTHER_COLOUR


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


def test_saved_figures_are_byte_equal_and_dateless(figures):
    contents = []
    for _ in range(2):
        ax = plots.learning_curves(curves(["Greedy", "RandomArm"]))
        path = plots.save_figure(ax.figure, "curves", notebook="06_evaluation", profile="demo")
        contents.append((path.read_bytes(), path.with_suffix(".svg").read_bytes()))
        plt.close("all")
    assert path == figures / "demo" / "06_evaluation_curves.png"
    assert contents[0] == contents[1]
    assert b"<dc:date>" not in contents[0][1]


def test_exploration_share_runs_from_zero_to_one_without_the_constant_baseline():
    ax = plots.exploration_share(curves())
    assert ax.get_ylim() == (0, 1)
    assert len(ax.lines) == len(style.STYLES) - 1
    assert_labels_apart(ax)


def finals(policies=tuple(style.STYLES), datasets=("demo", "other"), n_replicates=3):
    """Final rewards: the i-th policy gets 0.1 + 0.01 i on average, doubled on other datasets."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "dataset": dataset,
            "checksum": dataset,
            "policy": policy,
            "seed": seed,
            "n_rounds": 100,
            "mean_reward": (0.1 + 0.01 * i + rng.normal(0, 0.001)) * (1 + (dataset != "demo")),
        }
        for dataset in datasets
        for i, policy in enumerate(policies)
        for seed in range(n_replicates)
    )


def test_heatmap_leaves_room_for_long_names_of_data_sets():
    names = [f"a-data-set-of-a-long-name-{i}" for i in range(3)]
    ax = plots.policy_dataset_heatmap(finals(datasets=names))
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))


def test_heatmap_shows_every_mean_in_its_cell():
    ax = plots.policy_dataset_heatmap(finals())
    assert len(ax.texts) == 2 * len(style.STYLES)
    means = finals().groupby(["policy", "dataset"])["mean_reward"].mean()
    policies, datasets = ax.get_yticklabels(), ax.get_xticklabels()
    for text in ax.texts:
        column, row = text.get_position()
        mean = means[policies[row].get_text(), datasets[column].get_text()]
        assert text.get_text().startswith(f"{mean:.3f} ± ")
    assert "n = 3" in ax.get_xlabel()


def test_heatmap_leaves_a_gap_where_a_policy_was_not_run():
    table = finals(["Greedy", "RandomArm"])
    table = table[(table["policy"] != "Greedy") | (table["dataset"] != "other")]
    assert len(plots.policy_dataset_heatmap(table).texts) == 3
