"""What notebooks 04 and 05 record and say of a chooser's rounds."""

import numpy as np
import pandas as pd
import pytest

from cbkit import load_dataset, make_policy, simulate
from cbkit.policies.choosers import FixedArm, HighestValue
from cbkit.studies.choice_readings import clear_reading, picks_table, reward_reading, same_choices
from cbkit.studies.chooser_traces import record_choices
from cbkit.studies.noted import Noted


@pytest.fixture(scope="module")
def dataset():
    return load_dataset("demo")


def test_recording_changes_nothing_of_a_run(dataset):
    name = "ContextualAdaptiveGreedy2"
    recorded = record_choices(make_policy(name, dataset), dataset, seed=3, n_rounds=200)
    plain = simulate(make_policy(name, dataset), dataset, seed=3, n_rounds=200).rounds
    pd.testing.assert_frame_equal(recorded[plain.columns], plain)


def test_recorded_thresholds_tell_exploring_from_exploiting_rounds(dataset):
    policy = make_policy("ContextualAdaptiveGreedy", dataset, threshold=0.6)
    rounds = record_choices(policy, dataset, seed=0, n_rounds=200)
    assert rounds["explored"].equals(rounds["best_index"] <= rounds["threshold"])
    assert 0 < rounds["explored"].sum() < 200
    np.testing.assert_allclose(rounds["threshold"], 0.6 * 0.9997 ** np.arange(200))


def test_choosers_without_a_threshold_record_none(dataset):
    rounds = record_choices(make_policy("Greedy", dataset), dataset, seed=0, n_rounds=50)
    assert rounds["threshold"].isna().all()
    assert (rounds["index"] == rounds["best_index"]).all()


def test_a_noted_chooser_follows_arms_that_are_dropped():
    fixed = Noted(chooser=FixedArm(arm=2), note=lambda *_: ())
    fixed.drop_arm(0)
    assert fixed.chooser.arm == 1
    with pytest.raises(ValueError, match="always plays"):
        fixed.drop_arm(1)
    Noted(chooser=HighestValue(), note=lambda *_: ()).drop_arm(0)  # has nothing to follow


def test_same_choices_refuses_runs_over_other_rows():
    run = pd.DataFrame({"round": [1, 2], "row": [0, 1], "arm": [3, 4]})
    assert same_choices(run, run, ("a", "b")).endswith("**0 of 2** rounds.")
    with pytest.raises(ValueError, match="different rows"):
        same_choices(run, run.assign(row=[1, 0]), ("a", "b"))


def test_reward_reading_names_all_that_tie():
    finals = pd.DataFrame({"variant": "prior", "policy": ["a", "b", "c"]})
    (line,) = reward_reading(finals.assign(mean_reward=[0.2, 0.2, 0.1]))
    assert "that of a and b (0.200), the lowest that of c (0.100)" in line


def test_picks_table_counts_best_and_cold_arms():
    picked = pd.DataFrame(
        {
            "index": [0.2, 0.4],
            "best_index": [0.2, 0.5],
            "cold_start": [True, True],
            "reward": [0, 1],
        }
    )
    row = picks_table({("prior", "weighted"): picked}).loc[("prior", "weighted")]
    assert row.tolist() == pytest.approx([2, 50, 100, 0.3, 0.5])


def test_clear_reading_counts_what_passes_the_correction():
    table = pd.DataFrame({"policy": ["a", "b"], "variant": "prior", "difference": [0.1, -0.2]})
    table = table.assign(low=0.0, high=0.3, n=10, p_holm=[0.01, 0.5])
    assert clear_reading(table) == [
        "a, prior: +0.100 [+0.000, +0.300], clearly better.",
        "1 of 2 comparisons are clear at 5% after Holm's correction (n = 10).",
    ]
