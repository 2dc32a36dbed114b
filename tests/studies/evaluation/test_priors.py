"""Who wins under which prior: chosen on some seeds, compared on others."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from cbkit.studies.evaluation.experiment import AUTHORS, PAPERS, TUNED
from cbkit.studies.evaluation.figures import winner_panels
from cbkit.studies.evaluation.priors import BEST, best_priors, by_setting, winners

LEVELS = {  # per policy and prior: reward on the choosing seeds, and on the others
    ("Greedy", PAPERS): (0.1, 0.1),
    ("Greedy", TUNED): (0.3, 0.2),
    ("BootstrappedUCB", PAPERS): (0.2, 0.3),
    ("BootstrappedUCB", TUNED): (0.1, 0.4),
    ("ExploreThenExploit", PAPERS): (0.15, 0.15),
    ("Greedy", AUTHORS): (0.1, 0.1),
    ("BootstrappedUCB", AUTHORS): (0.3, 0.05),
}


@pytest.fixture
def finals():
    rows = [
        {
            "dataset": "d",
            "variant": variant,
            "policy": policy,
            "seed": seed,
            "mean_reward": (first if seed < 10 else then) + seed / 1000,
        }
        for (policy, variant), (first, then) in LEVELS.items()
        for seed in (8, 9, 10, 11, 12)
    ]
    return pd.DataFrame(rows).assign(checksum="c", n_rounds=9)


def test_the_best_prior_is_chosen_on_the_choosing_seeds_alone(finals):
    best = best_priors(finals).set_index("policy")["variant"].to_dict()
    assert best == {"Greedy": TUNED, "BootstrappedUCB": PAPERS, "ExploreThenExploit": PAPERS}


def test_policies_without_a_prior_have_the_same_runs_under_every_prior(finals):
    runs = by_setting(finals)
    explore = runs[runs["policy"] == "ExploreThenExploit"]
    assert set(explore["setting"]) == {PAPERS, TUNED, BEST}
    assert explore.groupby("setting")["mean_reward"].sum().nunique() == 1


def test_a_data_set_without_a_prior_has_no_winner_under_it(finals):
    fewer = finals[finals["variant"] != TUNED].assign(dataset="e")
    runs = by_setting(pd.concat([finals, fewer]))
    assert set(runs.loc[runs["dataset"] == "e", "setting"]) == {PAPERS, AUTHORS, BEST}


def test_first_and_second_are_chosen_on_some_seeds_and_compared_on_others(finals):
    found = winners(finals).set_index(["setting", "against"])
    papers = found.loc[(PAPERS, "ExploreThenExploit")]
    assert papers["first"] == "BootstrappedUCB" and papers["n"] == 3
    assert papers["difference"] == pytest.approx(0.15)
    assert papers["mean"] == pytest.approx(0.3 + 0.011)
    best = found.loc[(BEST, "BootstrappedUCB")]  # Greedy wins the choice and loses the comparison
    assert best["first"] == "Greedy" and best["difference"] == pytest.approx(-0.1)
    authors = found.loc[(AUTHORS, "Greedy")]
    assert authors["first"] == "BootstrappedUCB" and authors["difference"] == pytest.approx(-0.05)


def test_replicates_that_some_policies_of_a_setting_lack_are_left_out_there(finals):
    longer = finals[~((finals["variant"] == TUNED) & (finals["seed"] > 11))]
    runs = by_setting(longer).query("seed >= 10")
    assert runs.groupby("setting")["seed"].max().to_dict() == {
        PAPERS: 12, TUNED: 11, AUTHORS: 12, BEST: 11
    }  # fmt: skip
    pair = ("Greedy", "ExploreThenExploit")  # the second has the longer runs of the paper's prior
    papers = longer[longer["variant"] != AUTHORS]
    assert winners(papers, pair).set_index("setting").loc[TUNED, "n"] == 2


def test_panels_show_the_real_data_sets_alone(finals):
    hindsight = finals[finals["policy"] == "Greedy"].assign(policy="BestArmInHindsight")
    runs = pd.concat([finals, hindsight])
    fig = winner_panels(pd.concat([runs, runs.assign(dataset="demo")]))
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes]
    assert titles == ["d (n = 3)"]
    plt.close(fig)
