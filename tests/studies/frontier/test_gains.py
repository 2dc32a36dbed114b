"""Claims about how gains over the reference are computed."""

import pandas as pd
import pytest

from cbkit.studies.frontier.gains import gains, mean_gains

REFERENCE = "Base"


def finals_of(rewards):
    """One row per run of {dataset: {policy: rewards of seeds 0, 1, ...}}."""
    return pd.DataFrame(
        {
            "dataset": dataset,
            "policy": policy,
            "seed": seed,
            "n_rounds": 100,
            "mean_reward": reward,
            "seconds": 1.0 if policy == REFERENCE else 2.5,
        }
        for dataset, policies in rewards.items()
        for policy, runs in policies.items()
        for seed, reward in enumerate(runs)
    )


FINALS = finals_of(
    {
        "one": {REFERENCE: [0.2, 0.2, 0.2], "Mine": [0.3, 0.3, 0.3]},
        "two": {REFERENCE: [0.4, 0.5, 0.6], "Mine": [0.3, 0.4, 0.5]},
    }
)


def test_a_gain_is_the_paired_difference_as_a_share_of_the_references_reward():
    table = gains(FINALS, REFERENCE).set_index(["dataset", "policy"])
    assert table.loc[("one", "Mine"), "gain"] == pytest.approx(0.5)
    assert table.loc[("two", "Mine"), "gain"] == pytest.approx(-0.2)
    # differences are the same in all replicates, however the replicates differ
    assert table.loc[("two", "Mine"), "high"] == pytest.approx(-0.2)
    assert table.loc[("two", "Mine"), "cost"] == 2.5


def test_runs_without_the_references_run_of_the_same_seed_do_not_count():
    lonely = FINALS[(FINALS["policy"] != REFERENCE) | (FINALS["seed"] > 0)]
    table = gains(lonely, REFERENCE).set_index(["dataset", "policy"])
    assert table.loc[("two", "Mine"), "n"] == 2
    assert mean_gains(lonely, REFERENCE)["gain"].item() == pytest.approx((0.5 - 1 / 5.5) / 2)


def test_the_mean_gain_weighs_data_sets_alike_and_its_interval_covers_their_differences():
    row = mean_gains(FINALS, REFERENCE).set_index("policy").loc["Mine"]
    assert row["gain"] == pytest.approx(0.15)
    assert row["without_best"] == row["worst"] == pytest.approx(-0.2)
    assert row["low"] < -0.19 and row["high"] == pytest.approx(0.5)
    assert row["n_datasets"] == 2
