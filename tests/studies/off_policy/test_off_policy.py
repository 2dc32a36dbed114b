"""The study: its populations know the truth, its propensities are exact, its tables add up."""

import math

import numpy as np
import pandas as pd
import pytest

from cbkit.datasets import load_dataset
from cbkit.off_policy import BernsteinInterval, diagnose
from cbkit.off_policy.estimators import IPS
from cbkit.off_policy.evidence import Evidence
from cbkit.paths import results_dir
from cbkit.policies.registry import make_policy
from cbkit.simulate.loop import simulate
from cbkit.studies.off_policy.approximations import run_approximations
from cbkit.studies.off_policy.beta_propensities import highest_of_draws
from cbkit.studies.off_policy.coverage import run_cells
from cbkit.studies.off_policy.learning import run_learning
from cbkit.studies.off_policy.populations import LOGS, make_population
from cbkit.studies.off_policy.tables import cell_table, flagged, judge_diagnostics, rank_estimators


@pytest.fixture(scope="module")
def population():
    return make_population(load_dataset("demo").subset_arms(8, 0), seed=0, n_played=150)


@pytest.mark.statistical
def test_beta_propensities_agree_with_draws():
    a, b, above = np.array([3.0, 4, 1]), np.array([7.0, 7, 30]), 0.35
    n = 200_000
    draws = np.random.default_rng(0).beta(a, b, size=(n, 3))
    wins = (draws == draws.max(axis=1, keepdims=True)) & (draws > above)
    exact = highest_of_draws(a, b, np.array([above]))[0]
    error = np.sqrt(exact * (1 - exact) / n) + 1e-9
    assert (np.abs(wins.mean(axis=0) - exact) <= 4 * error).all()


def test_propensities_of_the_frozen_policy_are_the_policys_own():
    """Against the package's exact probabilities, of a policy that has arms of both kinds."""
    dataset = load_dataset("demo").subset_arms(8, 0)
    policy = make_policy("BootstrappedUCB", dataset, cold_start={"MABFirst": {"a": 3, "b": 7}})
    simulate(policy, dataset, seed=0, n_rounds=400)
    block = policy.prepare(dataset.features[:5])
    assert 0 < block.is_cold.sum() < 8
    counts = policy.history_
    cold = block.is_cold
    best = block.indices.max(axis=1)
    ours = highest_of_draws(3 + counts.positives[cold], 7 + counts.negatives[cold], best)
    for row in range(5):
        assert ours[row] == pytest.approx(policy.chances(block, row)[cold], abs=1e-6)


@pytest.mark.parametrize("log", LOGS)
def test_logs_are_drawn_from_the_probabilities_they_name(population, log):
    probabilities = population.logging[log]
    assert probabilities.sum(axis=1) == pytest.approx(1, abs=1e-9)
    drawn, rows = population.draw(log, 4000, np.random.default_rng(0))
    assert (drawn.propensities == probabilities[rows, drawn.arms]).all()
    assert (drawn.rewards == population.labels[rows, drawn.arms]).all()
    expected = probabilities[rows].mean(axis=0)
    shares = np.bincount(drawn.arms, minlength=8) / 4000
    assert (np.abs(shares - expected) <= 4 * np.sqrt(expected / 4000) + 1e-9).all()


def test_truth_is_the_mean_over_all_rows_and_arms(population):
    probabilities = population.targets["softmax"]
    by_hand = (population.labels.toarray() * probabilities).sum(axis=1).mean()
    assert population.value(probabilities) == pytest.approx(by_hand)


def test_tables_of_a_small_run_add_up(population):
    runs = run_cells(population, "random", 200, n_logs=12, n_resamples=50)
    assert len(runs) == 12 * 4 * 9
    cells = cell_table(runs)
    assert (cells["n_logs"] == 12).all()
    own = cells[(cells["target"] == "random arm") & (cells["estimator"] == "IPS")].iloc[0]
    estimates = runs[(runs["target"] == "random arm") & (runs["estimator"] == "IPS")]["estimate"]
    assert own["rmse"] == pytest.approx(np.sqrt(((estimates - own["truth"]) ** 2).mean()))
    verdict = judge_diagnostics(cells).set_index(["dataset", "interval"]).loc[("all", "normal")]
    assert verdict["n_cells"] == 36
    assert verdict["n_low_flagged"] <= verdict["n_low"]
    ranks = rank_estimators(cells)
    assert ranks["all"].mean() == pytest.approx(5)


def test_verdicts_by_hand():
    """Four cells of 200 logs: one flagged and low, one flagged for nothing, two silent."""
    cells = pd.DataFrame(
        {"dataset": "made", "n_logs": 200, "flagged": [1.0, 0.6, 0.0, 0.25]}
        | {f"{kind}_coverage": [0.5, 0.94, 0.95, 0.9] for kind in ("normal", "bootstrap")}
        | {f"{kind}_silent": [np.nan, 1.0, 0.95, 0.92] for kind in ("normal", "bootstrap")}
    )
    found = judge_diagnostics(cells).iloc[0]
    assert (found["n_low"], found["n_low_flagged"], found["n_needless"]) == (1, 1, 1)
    assert (found["n_good"], found["good_least"], found["n_apart"]) == (2, 0.9, 1)
    # outside 186 to 194 of 200
    assert found["n_apart_by_chance"] == pytest.approx(2 * (1 - outcomes(186, 194)))
    assert found["silent_coverage"] == pytest.approx((80 + 190 + 138) / (80 + 200 + 150))


def outcomes(least, most):
    """Probability of so many successes in 200 at 95%, term by term."""
    return sum(math.comb(200, k) * 0.95**k * 0.05 ** (200 - k) for k in range(least, most + 1))


def test_flags_are_the_warnings_of_the_package():
    rng = np.random.default_rng(0)
    rows, warned = [], []
    for scale in (0.5, 1.0, 3.0, 30.0, "Pareto"):
        for _ in range(10):
            if scale == "Pareto":
                weights = rng.pareto(1.8, size=300) * 0.8
            else:
                weights = rng.gamma(1 / scale, scale, size=300)
            rewards = (rng.random(300) < 0.3).astype(float)
            found = diagnose(IPS(), Evidence(rewards=rewards, weights=weights))
            rows.append(vars(found))
            warned.append(bool(found.warnings()))
    assert flagged(pd.DataFrame(rows)).tolist() == warned
    assert 0 < sum(warned) < 50


def test_monte_carlo_propensities_inflate_ips(population):
    table = run_approximations(population, n_rounds=300, n_logs=10).set_index(
        ["target", "propensities", "estimator"]
    )
    weight = table["mean_weight"]
    exact = weight[("random arm", "exact", "IPS")]
    assert weight[("random arm", "Monte Carlo, 10", "IPS")] > exact


def test_learning_values_every_way_on_the_same_rows():
    dataset = load_dataset("demo").subset_arms(8, 0)
    table = run_learning(dataset, n_rounds=300, n_after=100, seed=0)
    assert table["learned"].tolist()[0] == "online"
    assert table["best_fixed_arm"].nunique() == 1
    assert table["value"].between(0, 1).all()
    assert table["after_warm"].notna().sum() == 2


RESULTS = results_dir() / "off_policy"


def test_committed_diagnostics_warn_of_low_coverage_and_good_cells_cover():
    """At least 9 of 10 cells below 80% are flagged; unflagged ones are within 2 points of 95%."""
    for interval in ("normal", "bootstrap"):
        verdict = judge_diagnostics(pd.read_csv(RESULTS / "cells.csv"))
        row = verdict[(verdict["dataset"] == "all") & (verdict["interval"] == interval)].iloc[0]
        assert row["n_low_flagged"] >= 0.9 * row["n_low"] > 0
        assert abs(row["good_mean"] - 0.95) <= 0.02
        assert abs(row["silent_coverage"] - 0.95) <= 0.02
        if interval == "normal":
            # a cell's own coverage is known to 1.5 points: no more of them stray than by chance
            assert row["n_apart"] <= row["n_apart_by_chance"]


def test_bernstein_bounds_cover_in_every_committed_cell_with_overlap():
    cells = pd.read_csv(RESULTS / "cells.csv")
    unbiased = cells[cells["estimator"].isin(["IPS", "DoublyRobust"])]
    overlapping = unbiased[unbiased["log"] != "MAB-first UCB"]
    assert overlapping["bernstein_coverage"].min() >= 0.95
    assert BernsteinInterval(largest_weight=1).confidence == 0.95
