"""The appendix on gradient norms: which arms the criteria pick, in runs and beside them."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit import load_dataset, simulate
from cbkit.policies.choosers import HighestValue
from cbkit.policies.choosers.exploration import Context
from cbkit.policies.registry import make_policy
from cbkit.studies.chooser_traces import Noted
from cbkit.studies.gradient_norms import (
    AGREEMENTS,
    CRITERIA,
    PRIORS,
    against_weighted,
    agreement,
    agreement_dots,
    criteria_experiment,
    criteria_picks,
    labelled,
    noted_run,
    weighted_differences,
)


@pytest.fixture(scope="module")
def digits():
    return load_dataset("digits")


def test_experiment_has_every_criterion_for_both_policies_and_priors():
    experiment = criteria_experiment("digits", folder="unused", n_replicates=2, n_rounds=100)
    assert len(experiment.runs()) == len(PRIORS) * (1 + 2 * len(CRITERIA)) * 2


@pytest.mark.parametrize(
    ("scores", "picks"),
    [
        ([0.1, 0.3, 0.4], (2, 2, 0, 2)),  # all below 1/2: the closest to it is the best
        ([0.45, 0.6, 0.9], (0, 0, 2, 2)),  # above 1/2 it is not
    ],
)
def test_notes_are_the_arms_closest_to_and_farthest_from_one_half_and_the_best(scores, picks):
    chooser = Noted(chooser=HighestValue(), note=criteria_picks)
    choice = chooser.choose(np.array(scores), Context(np.ones((1, 3)), 0), np.random.default_rng(0))
    assert chooser.notes == [picks] and choice.arm == picks[-1]


def test_taking_notes_changes_no_run(digits):
    noted = noted_run(digits, "ActiveExplorer", explore="max", seed=1, n_rounds=300)
    policy = make_policy("ActiveExplorer", digits, explore="max")
    plain = simulate(policy, digits, seed=1, n_rounds=300).rounds
    pd.testing.assert_frame_equal(noted[plain.columns], plain)
    explored = noted["explored"]
    assert (noted["arm"] == noted["max"])[explored].all()
    assert (noted["arm"] == noted["best"])[~explored].all()


def test_min_and_weighted_are_one_rule_and_max_another(digits):
    table = agreement(digits, n_logs=1, n_rounds=250)
    assert len(table) == 2 * len(PRIORS)
    assert (table[["min_is_weighted", "same_arm_min"]] == 1).all(axis=None)
    explorer = table["policy"] == "ActiveExplorer"  # the other may not explore in so short a run
    assert (table.loc[explorer, "same_arm_max"] < 1).all()
    fig = agreement_dots(table)
    assert [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes] == list(PRIORS)
    n_dots = [sum(len(drawn.get_offsets()) for drawn in ax.collections) for ax in fig.axes]
    counted = table.groupby("prior", sort=False)[list(AGREEMENTS)].count().sum(axis=1)
    assert n_dots == counted.tolist()  # a share of no exploring rounds is none
    plt.close(fig)


def made_up_finals():
    rewards = {"Greedy": 0.2, "ActiveExplorer, weighted": 0.3, "ActiveExplorer, min": 0.3}
    rewards |= {"ActiveExplorer, max": 0.1, "ActiveAdaptiveGreedy, weighted": 0.2}
    rewards |= {"ActiveAdaptiveGreedy, min": 0.2, "ActiveAdaptiveGreedy, max": 0.4}
    rows = [
        {"dataset": "d", "variant": "p", "policy": policy, "seed": seed, "mean_reward": reward}
        for policy, reward in rewards.items()
        for seed in (0, 1)
    ]
    table = pd.DataFrame(rows).assign(checksum="c", row_order="o", n_rounds=9)
    return labelled(table.assign(explored_share=0.1, cold_start_share=0.5, n_refits=3))


def test_each_criterion_is_compared_with_weighted_of_the_same_policy():
    table = against_weighted(made_up_finals()).set_index("policy")["difference"].round(9).to_dict()
    assert table == {
        "ActiveExplorer, min": 0.0,
        "ActiveExplorer, max": -0.2,
        "ActiveAdaptiveGreedy, min": 0.0,
        "ActiveAdaptiveGreedy, max": 0.2,
    }


def test_algorithm_and_criterion_are_columns():
    table = made_up_finals()
    assert set(table["algorithm"]) == {"Greedy", "ActiveExplorer", "ActiveAdaptiveGreedy"}
    assert set(table["criterion"].dropna()) == set(CRITERIA)
    assert table.loc[table["algorithm"] == "Greedy", "criterion"].isna().all()


def test_figure_of_differences_has_a_row_per_comparison():
    fig = weighted_differences(made_up_finals())
    assert len(fig.axes[0].get_yticks()) == 4
    plt.close(fig)
