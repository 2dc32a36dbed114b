"""Policies beside fixed levels and beside each other."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from cbkit.studies.evaluation.experiment import AUTHORS, PAPERS, SGD, SKYLINE, TUNED
from cbkit.studies.evaluation.figures import rank_dots
from cbkit.studies.evaluation.levels import beside_levels, late_rewards, mean_ranks
from cbkit.studies.evaluation.tables import N_CURVES

BEST, UCB = "BestArmInHindsight", "BootstrappedUCB"


def runs(rewards, dataset="yeast"):
    """Return runs from {(variant, policy): rewards of seeds 9, 10, 11 ...}."""
    rows = [
        (dataset, variant, policy, 9 + i, value)
        for (variant, policy), values in rewards.items()
        for i, value in enumerate(values)
        if value is not None
    ]
    table = pd.DataFrame(rows, columns=["dataset", "variant", "policy", "seed", "mean_reward"])
    return table.assign(checksum="c", row_order=table["seed"].astype(str), n_rounds=100)


def curves(finals, early):
    """Return curves with two marks: `early` at round 80, the final reward at 100."""
    keys = ["dataset", "variant", "policy", "seed"]
    marks = [finals[keys].assign(round=80, mean_reward=early)]
    marks.append(finals[[*keys, "mean_reward"]].assign(round=100))
    return pd.concat(marks, ignore_index=True)


def test_late_rewards_undo_the_mean_so_far():
    finals = runs({(PAPERS, "Greedy"): [0.0, 0.5, 0.7]})
    late = late_rewards(curves(finals, 0.4))["late_reward"]
    np.testing.assert_allclose(late, [(100 * r - 80 * 0.4) / 20 for r in (0.0, 0.5, 0.7)])
    with pytest.raises(ValueError, match="no mark before its last round"):
        late_rewards(curves(finals, 0.4).query("round == 100"))


def test_policies_are_set_beside_the_best_arm_and_the_skyline_by_replicate():
    finals = runs(
        {
            (PAPERS, BEST): [0.9, 0.30, 0.34],
            (PAPERS, UCB): [0.9, 0.40, 0.42],
            (AUTHORS, UCB): [None, 0.50, None],
            (SKYLINE, "FullInformation"): [None, None, 0.62],
        }
    )
    table = beside_levels(finals, curves(finals, 0.4))
    assert table.loc[(PAPERS, UCB), ["mean", "above best arm", "n"]].tolist() == pytest.approx(
        [0.41, 0.09, 2]
    )
    assert table.loc[(AUTHORS, UCB), ["above best arm", "n"]].tolist() == pytest.approx([0.2, 1])
    assert table.loc[(PAPERS, UCB), "regret"] == pytest.approx(0.62 - 0.42)  # the replicate it has
    assert np.isnan(table.loc[(AUTHORS, UCB), "regret"])
    late = np.mean([(100 * r - 32) / 20 for r in (0.40, 0.42)])
    assert table.loc[(PAPERS, UCB), "late"] == pytest.approx(late)


def test_late_rewards_are_those_of_the_curves_that_are_shown():
    many = [0.9, *[0.5] * N_CURVES, 0.1]
    finals = runs({(PAPERS, BEST): many, (PAPERS, UCB): many, (SGD, "Greedy"): many})
    table = beside_levels(finals, curves(finals, 0.4))
    assert table.loc[(PAPERS, UCB), "late"] == pytest.approx((50 - 32) / 20)
    assert np.isnan(table.loc[(SGD, "Greedy"), "late"])


def test_ranks_are_means_over_sets_whose_intervals_widen_where_sets_disagree():
    agreeing = [
        runs({(PAPERS, "Greedy"): [0, 0.5, 0.6], (PAPERS, UCB): [1, 0.1, 0.2]}, name)
        for name in ("yeast", "medical")
    ]
    ranks = mean_ranks(pd.concat(agreeing), (PAPERS,)).set_index("policy")
    assert ranks.loc["Greedy", ["mean", "low", "high", "n_datasets"]].tolist() == [1, 1, 1, 2]
    turned = runs({(PAPERS, "Greedy"): [0, 0.1, 0.2], (PAPERS, UCB): [1, 0.5, 0.6]}, "enron")
    ranks = mean_ranks(pd.concat([*agreeing, turned]), (PAPERS,)).set_index("policy")
    assert ranks.loc["Greedy", "mean"] == pytest.approx(4 / 3)
    # One of three sets differs: all drawn sets differ in 1 of 27 draws, none in 8.
    assert ranks.loc["Greedy", ["low", "high"]].tolist() == [1, 2]


def test_ranks_are_over_the_replicates_that_all_policies_have():
    longer = runs({(PAPERS, "Greedy"): [0, 0.5, 0.6, 0.0], (PAPERS, UCB): [1, 0.4, 0.4]})
    ranks = mean_ranks(longer, (PAPERS,)).set_index("policy")
    assert ranks["mean"].to_dict() == {"Greedy": 1, UCB: 2}  # .367 and .4 with the last one


def test_policies_are_ranked_that_play_everywhere_and_those_without_a_prior_in_all_settings():
    first = {(TUNED, "Greedy"): [0, 0.5], (TUNED, UCB): [0, 0.1], (TUNED, BEST): [1, 1]}
    explore = {(PAPERS, name): [0, 0.3] for name in ("ExploreThenExploit", "Greedy", UCB)}
    second = {(TUNED, "Greedy"): [0, 0.5]} | explore
    both = pd.concat([runs(first | explore), runs(second, "medical")])
    ranks = mean_ranks(both, (PAPERS, TUNED)).set_index(["setting", "policy"])["mean"]
    assert ranks[TUNED].to_dict() == {"Greedy": 1, "ExploreThenExploit": 2}
    assert ranks[PAPERS].to_dict() == {"Greedy": 1.5, "ExploreThenExploit": 1.5}


def test_the_figure_of_ranks_has_a_row_per_policy_and_leaves_planted_sets_out():
    greedy, ucb = {"Greedy": [0, 0.5, 0.6]}, {UCB: [1, 0.1, 0.2]}
    rewards = (greedy | ucb).items()
    real = runs({(s, name): found for s in (PAPERS, AUTHORS, TUNED) for name, found in rewards})
    fig = rank_dots(pd.concat([real, real.assign(dataset="bibtex-like")]))
    assert [text.get_text() for text in fig.axes[0].get_yticklabels()] == ["Greedy", UCB]
    assert "1 real data sets" in fig.axes[0].get_xlabel()
    plt.close(fig)
