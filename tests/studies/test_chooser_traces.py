"""What notebooks 04 and 05 record and draw of a chooser's rounds."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit import load_dataset, make_policy, simulate
from cbkit.policies.choosers import FixedArm, HighestValue
from cbkit.studies.chooser_traces import (
    Noted,
    against_random,
    criterion_curves,
    explored_panels,
    picks_table,
    record_choices,
    threshold_panels,
)


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


def test_panels_show_a_run_each_in_rows_of_priors(dataset):
    policy = make_policy("ContextualAdaptiveGreedy", dataset, threshold=0.6)
    rounds = record_choices(policy, dataset, seed=0, n_rounds=60)
    traces = {(prior, kind): rounds for prior in ("p", "q") for kind in ("a", "b", "c")}
    fig = threshold_panels(traces, seed=0)
    assert [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes][:2] == ["a, p", "b, p"]
    n_points = sum(len(line.get_xdata()) for line in fig.axes[0].lines)
    assert n_points == 2 * len(rounds)  # a dot and a threshold per round
    explored = {key: one[one["explored"]] for key, one in traces.items()}
    assert len(explored_panels(explored).axes) == 6
    lines = criterion_curves().axes[0].lines
    assert [len(line.get_xdata()) for line in lines].count(201) == 3
    plt.close("all")


def test_active_policies_are_compared_with_the_same_that_explore_at_random():
    levels = {
        ("EpsilonGreedy, mine", "EpsilonGreedy"): 0.2,
        ("ActiveExplorer, max", "ActiveExplorer"): 0.3,
        ("ContextualAdaptiveGreedy2", "ContextualAdaptiveGreedy2"): 0.1,
        ("ActiveAdaptiveGreedy, max", "ActiveAdaptiveGreedy"): 0.4,
        ("Greedy", "Greedy"): 0.9,
    }
    finals = pd.DataFrame(
        {"policy": policy, "algorithm": algorithm, "seed": seed, "mean_reward": level}
        for (policy, algorithm), level in levels.items()
        for seed in range(3)
    ).assign(dataset="d", variant="v", checksum="c", n_rounds=9)
    table = against_random(finals).set_index("policy")["difference"]
    expected = {"ActiveExplorer, max": 0.1, "ActiveAdaptiveGreedy, max": 0.3}
    assert table.to_dict() == pytest.approx(expected)
