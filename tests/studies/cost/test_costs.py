"""What runs are said to cost, on costs known beforehand."""

import os
import time
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit import load_dataset
from cbkit.studies.cost.costs import cost_dots, isolated, peak_memory, play, race
from cbkit.studies.cost.growth import COSTS, exponents, growth, growth_panels, resized
from cbkit.studies.cost.plain_race import AIMS, contenders, pairs, ratio_dots, ratios

MB = 1_000_000


def busy(dataset, *, seed, seconds):
    """Stand in for a run that takes known CPU time."""
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass
    return {"seconds": time.process_time() - start, "n_refits": 1, "process": os.getpid()}


def hoard(dataset, *, seed, megabytes):
    """Stand in for a run that holds known memory for a moment."""
    held = np.ones(megabytes * MB // 8)
    return {"process": os.getpid(), "held": float(held.nbytes) / MB}


def test_contenders_take_turns_seed_by_seed():
    table = race("digits", {"a": partial(busy, seconds=0), "b": partial(busy, seconds=0)}, [3, 4])
    assert table[["seed", "contender"]].to_numpy().tolist() == [
        [3, "a"],
        [3, "b"],
        [4, "a"],
        [4, "b"],
    ]


def test_a_run_costs_cpu_seconds_refits_and_what_the_policy_holds():
    data = load_dataset("digits")
    small, large = (
        play(data, seed=0, policy="OnlineBootstrappedUCB", n_rounds=400, n_resamples=n)
        for n in (2, 40)
    )
    assert small["seconds"] > 0 and small["n_refits"] >= small["n_fitted_arms"] > 0
    # At least the coefficients of 38 more resamples, eight bytes each.
    assert large["policy_mb"] - small["policy_mb"] > 8 * 38 * 64 * small["n_fitted_arms"] / MB / 2


def test_waiting_costs_no_cpu_seconds(monkeypatch):
    monkeypatch.setattr(
        "cbkit.studies.cost.costs.simulate", lambda *a, **k: time.sleep(0.3) or Log()
    )
    cost = play(load_dataset("digits"), seed=0, policy="Greedy", n_rounds=10)
    assert cost["seconds"] < 0.25


class Log:
    mean_reward = 0.0
    facts = {"n_refits": 0, "n_fitted_arms": 0, "n_rounds": 0}  # noqa: RUF012


def test_ratios_are_of_means_with_the_extremes_of_the_seeds():
    table = pd.DataFrame(
        {
            "contender": ["fast", "slow", "fast", "slow"],
            "seed": [0, 0, 1, 1],
            "seconds": [1.0, 4.0, 3.0, 24.0],
            "n_refits": [10, 20, 10, 20],
        }
    )
    row = ratios(table, [("fast", "slow")]).iloc[0]
    assert (row["ratio"], row["lowest"], row["highest"], row["n"]) == (7.0, 4.0, 8.0, 2)
    assert row["ratio_per_refit"] == 3.5


def test_ratios_take_the_seeds_that_both_have_and_refuse_if_there_are_none():
    table = pd.DataFrame({"contender": ["fast", "fast", "slow"], "seed": [0, 1, 1]})
    table = table.assign(seconds=[9.0, 2.0, 6.0], n_refits=1)
    row = ratios(table, [("fast", "slow")]).iloc[0]
    assert (row["ratio"], row["fast_seconds"], row["n"]) == (3.0, 2.0, 1)
    with pytest.raises(ValueError, match=r"fast and slow share no seed, they have \[0\] and \[1\]"):
        ratios(table[[True, False, True]], [("fast", "slow")])


def test_every_policy_with_an_aim_meets_both_loops_in_the_race():
    names = contenders()
    assert set(AIMS) <= set(names)
    assert {fast for fast, _ in pairs()} == set(AIMS)
    assert all(fast in names and slow in names for fast, slow in pairs())


def test_figure_of_ratios_shows_both_loops_beside_the_aim():
    """The plain loops of a made-up race take 20 seconds, all others one."""
    names = list(contenders())
    seconds = [20.0 if name.startswith("plain") else 1.0 for name in names]
    table = pd.DataFrame({"contender": names, "seed": 0, "seconds": seconds, "n_refits": 1})
    ax = ratio_dots(table).axes[0]
    aims = [line.get_xdata()[0] for line in ax.lines if line.get_color() == "black"]
    assert aims == list(AIMS.values())
    drawn = np.concatenate([line.get_xdata() for line in ax.lines if line.get_color() != "black"])
    assert set(drawn[np.isfinite(drawn)]) == {1.0, 20.0}
    plt.close(ax.figure)


def test_figure_of_costs_has_a_panel_per_cost():
    table = pd.DataFrame({"policy": ["a", "b"] * 3, "seed": [0, 0, 1, 1, 2, 2]})
    fig = cost_dots(table.assign(seconds=1.0, policy_mb=2.0, peak_mb=300.0))
    labels = [ax.get_xlabel() for ax in fig.axes]
    assert labels[0] == "CPU seconds per run" and len(labels) == 3
    plt.close(fig)


def test_figure_of_growth_has_a_row_per_cost_and_a_column_per_axis():
    table = pd.DataFrame({"axis": ["arms", "arms", "rounds", "rounds"], "size": [2, 4, 10, 20]})
    table = table.assign(policy="Greedy", seed=0, seconds=[1, 2, 3, 4], policy_mb=0.5)
    fig = growth_panels(table)
    assert len(fig.axes) == len(COSTS) * 2
    assert [ax.get_xlabel() for ax in fig.axes[2:]] == ["arms", "rounds"]
    assert fig.axes[1].lines[0].get_ydata().tolist() == pytest.approx([3, 4])
    assert fig.get_supxlabel() == "dots: seeds, n = 1; lines: their means"
    plt.close(fig)


def test_peak_memory_rises_with_what_is_held_and_stays_there():
    before = peak_memory()
    held = np.ones(200 * MB // 8)
    assert peak_memory() >= held.nbytes / MB
    del held
    assert peak_memory() >= max(before, 200)


def test_memory_is_measured_in_a_process_that_knows_nothing_of_its_parent():
    held = np.ones(600 * MB // 8)  # must not count for the child
    table = isolated("digits", partial(hoard, megabytes=100), [0])
    row = table.iloc[0]
    assert row["process"] != os.getpid()
    assert row["import_mb"] <= row["loaded_mb"] <= row["peak_mb"]
    assert 90 < row["peak_mb"] - row["loaded_mb"] < 110
    assert row["peak_mb"] < held.nbytes / MB


def test_one_axis_grows_at_a_time():
    data = load_dataset("digits")
    sizes = {"rounds": [100], "arms": [4], "features": [16], "resamples": [3]}
    table = growth("digits", ["Greedy", "BootstrappedUCB"], sizes, seeds=[0, 1], n_rounds=150)
    counts = table.groupby(["axis", "policy"]).size().to_dict()
    assert counts.pop(("resamples", "BootstrappedUCB")) == 2
    assert len(counts) == 6 and set(counts.values()) == {2}
    assert resized(data, "arms", 4).n_arms == 4
    assert resized(data, "features", 16).features.shape == (data.n_rows, 16)
    with pytest.raises(ValueError, match="axis must be arms or features, got 'rows'"):
        resized(data, "rows", 4)


def test_exponents_are_those_of_power_laws():
    size = np.array([10, 20, 40])
    table = pd.DataFrame({"axis": "rounds", "policy": "Greedy", "size": size})
    fitted = exponents(table.assign(seconds=3 * size**1.5, policy_mb=2.0 * size)).iloc[0]
    np.testing.assert_allclose(fitted, [1.5, 1.0])
