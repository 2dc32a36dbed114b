"""The study of oracles: what it runs, and its shares."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit import MultilabelDataset
from cbkit.experiments.run import run_experiment
from cbkit.experiments.stats import mean_interval
from cbkit.studies.oracles.experiment import (
    WAYS_TO_EXPLORE,
    WAYS_TO_LEARN,
    finals_with_seconds,
    oracle_experiment,
    shares_of,
)
from cbkit.studies.oracles.figures import explore_dots, share_dots
from cbkit.studies.oracles.log_losses import ORACLES, log_losses
from cbkit.studies.oracles.run import losses, played


def test_all_policies_run_and_every_run_has_its_cpu_seconds(tmp_path):
    policies = WAYS_TO_LEARN | WAYS_TO_EXPLORE
    folder = str(tmp_path / "runs")
    experiment = oracle_experiment("demo", policies, folder=folder, n_replicates=1, n_rounds=120)
    finals = finals_with_seconds(run_experiment(experiment))
    assert finals["policy"].tolist() == list(policies)
    assert (finals["seconds"] > 0).all()


def test_rounds_are_at_most_those_that_there_are():
    assert oracle_experiment("demo", WAYS_TO_LEARN, folder="a", n_rounds=10**6).n_rounds < 10**6


def test_shares_are_of_paired_replicates_and_their_interval_is_a_t_interval():
    rng = np.random.default_rng(0)
    a, b = rng.random(6), rng.random(5)
    finals = pd.DataFrame(
        {
            "dataset": "d",
            "policy": ["A"] * 6 + ["B"] * 5,
            "seed": [*range(6), *range(5)],
            "mean_reward": np.concatenate([a, b]),
            "seconds": 1.0,
        }
    )
    row = shares_of(finals, "A").set_index("policy").loc["B"]
    mean, low, high, n = mean_interval(b - a[:5])
    assert row["n"] == n == 5
    assert row["share"] == pytest.approx(b.mean() / a[:5].mean())
    assert row["low"] == pytest.approx(1 + low / a[:5].mean())
    assert row["high"] == pytest.approx(1 + high / a[:5].mean())
    assert row["share"] == pytest.approx(1 + mean / a[:5].mean())


def test_oracles_score_rows_before_they_learn_them():
    # Rewards are coins: nothing that has not seen them can beat a half by much.
    rng = np.random.default_rng(0)
    coins = MultilabelDataset.from_arrays(rng.normal(size=(600, 5)), rng.integers(0, 2, (600, 2)))
    losses = log_losses(coins, seed=0).set_index("oracle")
    assert (losses["log_loss"] > np.log(2) - 0.02).all()
    assert losses["base_rate"].between(0.69, 0.75).all()
    assert losses["n"].nunique() == 1
    assert losses["sure"]["SGD of the paper, alpha=0.0001"] > losses["sure"]["full refits"]


def test_sets_play_their_own_rounds_and_every_run_is_a_row(tmp_path):
    policies = {name: WAYS_TO_LEARN[name] for name in list(WAYS_TO_LEARN)[:2]}
    sizes = {"n_replicates": 2, "n_rounds": {"demo": 100}, "seed": 3}
    table = played(["demo", "digits"], policies, folder=str(tmp_path), **sizes)
    assert table.groupby("dataset")["n_rounds"].unique().str[0].to_dict() == {
        "demo": 100,
        "digits": 1797,
    }
    assert len(table) == 8 and table["seconds"].min() > 0
    assert table["seed"].unique().tolist() == [3, 4]


def test_losses_are_of_several_logs():
    table = losses(["digits"], n_replicates=2, n_rounds=150, seed=5)
    assert table.groupby("seed").size().to_dict() == {5: len(ORACLES), 6: len(ORACLES)}


def test_figures_show_every_way_but_full_refits_and_every_policy():
    rng = np.random.default_rng(0)
    rows = [
        (name, seed, rng.random(), 1 + rng.random())
        for name in [*WAYS_TO_LEARN, "SquareCB"]
        for seed in range(3)
    ]
    runs = pd.DataFrame(rows, columns=["policy", "seed", "mean_reward", "seconds"])
    runs = runs.assign(dataset="d", n_rounds=7)
    learned = runs[runs["policy"] != "SquareCB"]
    assert len(share_dots(learned).legends[0].get_texts()) == len(WAYS_TO_LEARN) - 1
    (ax,) = explore_dots(runs).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == [*WAYS_TO_LEARN, "SquareCB"]
    plt.close("all")


def test_before_any_arm_is_taught_there_is_no_loss():
    rng = np.random.default_rng(0)
    never = MultilabelDataset.from_arrays(rng.normal(size=(60, 3)), np.zeros((60, 2), int))
    losses = log_losses(never, seed=0, n_rounds=60)
    assert losses["log_loss"].isna().all() and (losses["n"] == 0).all()
