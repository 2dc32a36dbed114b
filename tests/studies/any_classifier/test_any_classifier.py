"""The study of classifiers: every pair plays, scores are read off before rows are learned."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from cbkit import MultilabelDataset, load_dataset, simulate
from cbkit.oracles.forests import ForestOracle, TreeLeafOracle
from cbkit.studies.any_classifier.calibration import calibration, reliability
from cbkit.studies.any_classifier.contenders import (
    EVERY,
    N_RESAMPLES,
    N_TREES,
    ORACLES,
    RULES,
    any_classifier_experiment,
    classifier_of,
    contenders,
    make_contender,
)
from cbkit.studies.any_classifier.few_labels import few_labels
from cbkit.studies.any_classifier.figures import reliability_panels, reward_dots, second_dots
from cbkit.studies.any_classifier.run import against_logistic, reward_table

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 4))
DATA = MultilabelDataset.from_arrays(X, (X[:, :3] > 0.3).astype(int), name="planted")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("oracle", [*ORACLES, EVERY])
def test_every_oracle_plays_under_every_policy(oracle, rule):
    policy = make_contender(DATA, oracle, rule)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*too few for")
        log = simulate(policy, DATA, seed=0, n_rounds=100, progress=False)
    assert log.facts["n_fitted_arms"] > 0
    if rule == "BootstrappedUCB" and oracle != "forest, leaf counts":
        n = policy.prepare(DATA.features[:2]).scores.shape[2]
        assert n == (N_TREES if oracle == "random forest" else N_RESAMPLES)


def test_trees_are_their_own_resamples_and_leaf_counts_their_own_bounds():
    bounds = make_contender(DATA, "forest, leaf counts", "BootstrappedUCB").oracle
    means = make_contender(DATA, "forest, leaf counts", "Greedy").oracle
    assert isinstance(bounds, TreeLeafOracle) and (bounds.percentile, means.percentile) == (80, 50)
    assert isinstance(make_contender(DATA, "random forest", "BootstrappedUCB").oracle, ForestOracle)


def test_naive_bayes_is_of_the_kind_that_takes_the_contexts():
    assert isinstance(classifier_of("naive Bayes", DATA), GaussianNB)
    assert isinstance(classifier_of("naive Bayes", load_dataset("demo")), BernoulliNB)


def test_the_experiment_has_every_pair_once_with_its_labels():
    sizes = {"n_replicates": 2, "n_rounds": 10**6, "seed": 0}
    experiment = any_classifier_experiment("demo", folder="a", **sizes)
    runs = experiment.runs()
    pairs = {(run.labels["oracle"], run.labels["rule"]) for run in runs}
    assert len(runs) == 2 * len(pairs) == 2 * len(contenders())
    assert experiment.n_rounds == load_dataset("demo").n_rows


def test_reliability_by_hand():
    table = reliability(np.array([0.31, 0.39, 0.5, 1.0]), np.array([1, 0, 1, 1]))
    assert table["bin"].tolist() == [3, 5, 9] and table["n"].tolist() == [2, 1, 1]
    np.testing.assert_allclose(table["score"], [0.35, 0.5, 1.0])
    np.testing.assert_allclose(table["reward"], [0.5, 1.0, 1.0])


def test_all_oracles_are_judged_on_the_same_rounds_and_sum_up_to_them():
    losses, bins = calibration(DATA, seed=0, n_rounds=150)
    assert losses["oracle"].tolist() == list(ORACLES)
    assert losses["n"].nunique() == losses["base_rate"].nunique() == 1
    assert (bins.groupby("oracle")["n"].sum() == losses["n"].iloc[0]).all()
    by_name = losses.set_index("oracle")
    assert by_name["log_loss"]["logistic regression"] < by_name["base_rate"].iloc[0]


def test_an_oracle_makes_a_smoothed_share_of_one_label_where_the_classifier_itself_fails():
    table = few_labels(DATA, seed=0, n_histories=2).set_index("oracle")
    assert table["as_oracle"].to_numpy() == pytest.approx(1 / 22)
    assert table["by_itself"]["logistic regression"] == "ValueError"
    assert table["by_itself"]["single tree"] == "one column, of 1"
    assert float(table["by_itself"]["XGBoost"]) < 0.001
    assert (table["upper"] > table["mean"]).all()


def finals():
    rows = [
        ("logistic regression", 0, 0.4, 1.0),
        ("logistic regression", 1, 0.6, 1.0),
        ("XGBoost", 0, 0.5, 30.0),
        ("XGBoost", 1, 0.8, 50.0),
        ("none", 0, 0.3, 0.0),
    ]
    table = pd.DataFrame(rows, columns=["oracle", "seed", "mean_reward", "seconds"])
    return table.assign(dataset="d", rule="Greedy", checksum="c", n_rounds=9)


def test_rewards_and_cost_by_hand():
    table = reward_table(finals()).loc[("d", "Greedy", "XGBoost")]
    assert table["mean"] == pytest.approx(0.65) and table["seconds"] == 40
    compared = against_logistic(finals()).iloc[0]
    assert compared["oracle"] == "XGBoost" and compared["cost"] == 40
    assert compared["difference"] == pytest.approx(0.15)


def title_of(ax):
    """A panel's title, at the left where another test has set the style of figures."""
    return ax.get_title(loc="left") or ax.get_title()


def test_figures_have_a_panel_per_data_set_and_the_best_fixed_arm_or_a_panel_per_oracle():
    runs = finals().assign(cold_start_share=0.0)
    both = pd.concat([runs.assign(dataset="other"), runs])  # panels are in the order of names
    fig = reward_dots(both)
    assert [title_of(ax).splitlines()[0] for ax in fig.axes] == ["d", "other"]
    assert all(0.3 in [line.get_xdata()[0] for line in ax.lines[-1:]] for ax in fig.axes)
    assert {ax.get_xscale() for ax in second_dots(both).axes} == {"log"}
    scores, rewards = np.repeat([0.15, 0.85], 30), np.tile([0, 1, 1], 20)
    bins = reliability(scores, rewards).assign(oracle="XGBoost", dataset="d", seed=0)
    (ax,) = [ax for ax in reliability_panels(bins).axes if title_of(ax)]
    np.testing.assert_allclose(ax.lines[1].get_xydata(), [[0.15, 2 / 3], [0.85, 2 / 3]])
    plt.close("all")
