"""Variance shares: arithmetic solved by hand, noise that counts as nothing, and intervals."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.plots.style import use_style
from cbkit.studies.sensitivity.figures import share_bars, value_panels
from cbkit.studies.sensitivity.shares import change_table, changes, effect, variance_shares


def runs(levels, *, dataset="d", policy="Greedy", n=4, noise=None):
    """Runs of each (constant, value) at its level; `noise` has a row per replicate."""
    noise = np.zeros((n, len(levels))) if noise is None else noise
    rows = [
        {"constant": constant, "value": value, "seed": seed, "mean_reward": level + noise[seed, at]}
        for at, ((constant, value), level) in enumerate(levels.items())
        for seed in range(n)
    ]
    same = {"dataset": dataset, "policy": policy, "checksum": "c", "n_rounds": 9}
    table = pd.DataFrame(rows).assign(**same)
    return table.assign(row_order=table["seed"].map("order {}".format))


# C: 100, 120, 110% of the centre, variance 100; window: 100, 110, 90%, variance 100; the prior:
# 100 and 140%, variance 800.
LEVELS = {
    ("C", "1"): 0.5,
    ("C", "10"): 0.6,
    ("C", "100"): 0.55,
    ("window", "500"): 0.5,
    ("window", "50"): 0.55,
    ("window", "250"): 0.45,
    ("prior", "(5/k, 4, 2)"): 0.5,
    ("prior", "(3, 7, 2)"): 0.7,
}


def test_shares_without_noise_are_those_of_the_variances_of_means():
    table = variance_shares(runs(LEVELS), np.random.default_rng(0)).set_index("constant")
    assert table["sd_pct"].to_dict() == pytest.approx(
        {"C": 10, "window": 10, "prior": 800**0.5}, rel=1e-9
    )
    # the prior is no part of the others' total, 200, and has 800 of the 1000 with it
    assert table["share_pct"].to_dict() == pytest.approx({"C": 50, "window": 50, "prior": 80})
    assert table[["low", "high"]].loc["C"].tolist() == pytest.approx([50, 50])


def test_shares_of_several_sets_are_the_mean_of_their_shares():
    other = {key: 0.1 for key in LEVELS} | {("window", "50"): 0.4}
    both = pd.concat([runs(LEVELS), runs(other, dataset="e")])
    table = variance_shares(both, np.random.default_rng(0), by_set=False).set_index("constant")
    assert table["share_pct"].to_dict() == pytest.approx({"C": 25, "window": 75, "prior": 40})


def test_noise_that_all_values_share_changes_no_effect():
    shared = np.random.default_rng(1).normal(size=(6, 1))
    levels = np.array([[1.0, 2.0, 4.0]])
    assert effect(levels + shared) == pytest.approx(effect(np.repeat(levels, 6, axis=0)))


@pytest.mark.statistical
def test_noise_alone_has_an_effect_of_zero_on_average():
    found = effect(np.random.default_rng(2).normal(size=(4000, 10, 5)))
    assert abs(found.mean()) < 4 * found.std() / len(found) ** 0.5
    assert (found < 0).mean() > 0.3  # it is not cut off at 0


@pytest.mark.statistical
def test_the_effect_estimates_the_variance_of_levels_without_bias():
    levels = np.array([0.0, 0.5, 1.0, 0.5])
    found = effect(levels + np.random.default_rng(3).normal(size=(4000, 10, 4)))
    assert abs(found.mean() - levels.var(ddof=1)) < 4 * found.std() / len(found) ** 0.5


@pytest.mark.statistical
def test_bootstrap_intervals_hold_the_true_share_nearly_always():
    """Two constants of equal variance in noise as large: 50% each, nominal coverage 95%."""
    levels = {("C", "1"): 1.0, ("C", "10"): 1.2, ("window", "500"): 1.0, ("window", "50"): 1.2}
    rng = np.random.default_rng(4)
    n_tries, held = 40, 0
    for _ in range(n_tries):
        noise = rng.normal(scale=0.15, size=(10, 4))
        noise[:, 2] = noise[:, 0]  # the centre is one run
        table = variance_shares(runs(levels, n=10, noise=noise), rng).set_index("constant")
        held += table.loc["C", "low"] <= 50 <= table.loc["C", "high"]
    assert held / n_tries > 0.95 - 4 * (0.95 * 0.05 / n_tries) ** 0.5


def test_changes_are_paired_and_in_percent_of_the_centre():
    rough = np.outer([0.0, 0.1, -0.1, 0.0], np.ones(len(LEVELS)))  # good and bad luck, shared
    table = change_table(runs(LEVELS, noise=rough)).set_index(["constant", "value"])
    assert table.loc[("C", "10"), ["mean", "low", "high"]].tolist() == pytest.approx([20] * 3)
    assert table.loc[("C", "1"), "mean"] == 0 and set(table["n"]) == {4}


def test_the_mean_over_sets_counts_each_the_same_and_those_alone_that_have_the_value():
    few = {key: level for key, level in LEVELS.items() if key != ("C", "100")}
    few[("C", "10")] = 0.5
    both = pd.concat([runs(LEVELS), runs(few, dataset="e")])
    table = change_table(both, by_set=False).set_index(["constant", "value"])
    assert table.loc[("C", "10"), "mean"] == pytest.approx(10)
    assert table.loc[("C", "100"), "mean"] == pytest.approx(10)


def test_runs_without_a_partner_at_the_centre_are_refused():
    table = runs(LEVELS)
    table.loc[3, "row_order"] = "another"
    with pytest.raises(ValueError, match="no run at the centre has the rows"):
        changes(table)


def test_a_constant_with_missing_replicates_has_no_share():
    with pytest.raises(ValueError, match="window lacks replicates"):
        variance_shares(runs(LEVELS).drop(index=13), np.random.default_rng(0))


def test_figures_have_a_panel_per_constant_and_bars_sorted_by_share():
    rng = np.random.default_rng(5)
    table = runs(LEVELS, noise=rng.normal(scale=0.01, size=(4, len(LEVELS))))
    use_style()  # puts titles at the left
    titles = [ax.get_title(loc="left") for ax in value_panels(table).axes]
    assert titles[:3] == ["C", "window", "prior"]
    (ax, *_) = share_bars(table).axes
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == sorted(widths, reverse=True) and len(widths) == 3
    plt.close("all")
