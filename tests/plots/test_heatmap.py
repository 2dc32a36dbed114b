"""Claims about the heat map: every mean in its cell, coloured around one policy."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.plots.heatmap import reward_heatmap


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def finals(policies=("RandomArm", "Greedy", "BootstrappedUCB"), datasets=("demo", "other")):
    """Final rewards: the i-th policy gets 0.1 + 0.1 i on average, doubled on other data sets."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "dataset": dataset,
            "policy": policy,
            "seed": seed,
            "mean_reward": (0.1 + 0.1 * i + rng.normal(0, 0.001)) * (1 + (dataset != "demo")),
        }
        for dataset in datasets
        for i, policy in enumerate(policies)
        for seed in range(4)
    )


def cells(fig):
    ax = fig.axes[0]
    rows = [text.get_text() for text in ax.get_yticklabels()]
    columns = [text.get_text() for text in ax.get_xticklabels()]
    places = {text.get_position(): text.get_text() for text in ax.texts}
    return {(rows[int(y)], columns[int(x)]): text for (x, y), text in places.items()}


def test_every_cell_has_its_mean_and_interval():
    table = finals()
    means = table.groupby(["policy", "dataset"])["mean_reward"].mean()
    fig = reward_heatmap(table)
    found = cells(fig)
    assert len(found) == 6
    for key, text in found.items():
        assert text.startswith(f"{means[key]:.3f} ± ")
    assert "n = 4" in fig.axes[0].get_xlabel()


def test_colours_run_to_both_sides_of_the_reference_best_rows_first():
    fig = reward_heatmap(finals())
    values = fig.axes[0].collections[0].get_array().reshape(3, 2)
    assert (values[0] > 0).all() and (values[1] == 0).all() and (values[2] < 0).all()
    with pytest.raises(ValueError, match="no policy is named 'UCB'"):
        reward_heatmap(finals(), reference="UCB")


def test_a_policy_that_was_not_run_leaves_its_cell_blank():
    table = finals()
    table = table[(table["policy"] != "RandomArm") | (table["dataset"] != "other")]
    assert cells(reward_heatmap(table)).get(("RandomArm", "other"), "") == ""


def test_long_names_of_data_sets_do_not_overlap():
    names = [f"a-data-set-of-a-long-name-{i}" for i in range(3)]
    ax = reward_heatmap(finals(datasets=names)).axes[0]
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
