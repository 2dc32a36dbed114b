"""The race against the paper's own package: its protocol, and the real package where installed."""

import sys
import types

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from cbkit import load_dataset
from cbkit.simulate import row_order
from cbkit.studies.cost.costs import race
from cbkit.studies.cost.package_race import (
    PACKAGE,
    against_package,
    contenders,
    is_installed,
    play_package,
)
from cbkit.workbook.tables import load_table


class Remembering:
    """Stands in for a policy of the package: always arm 3, and remembers its calls."""

    made = None

    def __init__(self, classifier, **parameters):
        type(self).made = self
        self.classifier, self.parameters, self.fits, self.predicted = classifier, parameters, [], []

    def predict(self, X):
        self.predicted.append(X)
        return np.full(X.shape[0], 3)

    def fit(self, X, arms, rewards):
        self.fits.append((X, arms.copy(), rewards.copy()))


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setattr(Remembering, "_oracles", types.SimpleNamespace(algos=[]), raising=False)
    online = types.ModuleType(f"{PACKAGE}.online")
    online.EpsilonGreedy = online.BootstrappedUCB = Remembering
    monkeypatch.setitem(sys.modules, PACKAGE, types.ModuleType(PACKAGE))
    monkeypatch.setitem(sys.modules, f"{PACKAGE}.online", online)


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("name", ["demo", "digits"])
def test_package_plays_the_rows_of_the_replicate_and_is_fit_to_all_before(name):
    data = load_dataset(name)
    cost = play_package(data, seed=2, policy="EpsilonGreedy", n_rounds=120)
    made, order = Remembering.made, row_order(data.n_rows, 2)[:120]
    assert [len(arms) for _, arms, _ in made.fits] == [50, 100, 120]
    assert [X.shape[0] for X in made.predicted] == [50, 20]
    X, arms, rewards = made.fits[-1]
    difference = abs(X - data.features[order])
    assert difference.max() == 0
    assert (arms[50:] == 3).all()
    assert len(set(arms[:50])) > 5  # the first block is played at random
    expected = data.labels.toarray()[order, arms]
    np.testing.assert_array_equal(rewards, expected)
    assert cost["mean_reward"] == expected.mean()
    assert cost["n_rounds"] == 120
    assert made.parameters["beta_prior"] == ((3, 7), 2)
    assert made.parameters["nchoices"] == data.n_arms
    assert made.parameters["njobs"] == 1


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("mended", [False, True])
def test_dead_resamples_are_revived_where_asked(mended, monkeypatch):
    live = LogisticRegression(max_iter=7)
    arms = [types.SimpleNamespace(bs_algos=[live, "dead"]), types.SimpleNamespace()]
    monkeypatch.setattr(Remembering, "_oracles", types.SimpleNamespace(algos=arms), raising=False)
    play_package(
        load_dataset("digits"), seed=0, policy="BootstrappedUCB", n_rounds=100, mended=mended
    )
    assert arms[0].bs_algos[0] is live
    assert isinstance(arms[0].bs_algos[1], LogisticRegression) == mended
    assert arms[0].bs_algos[1] is not Remembering.made.classifier


@pytest.mark.usefixtures("stand_in")
def test_race_pairs_each_policy_with_both_solvers():
    raced = race("digits", contenders(n_rounds=100), [0, 1])
    table = against_package(raced)
    assert table["fast"].tolist() == ["EpsilonGreedy"] * 2 + ["BootstrappedUCB"] * 3
    forms = ["lbfgs", "liblinear", "lbfgs", "liblinear", "mended"]
    assert [slow.rsplit(" ", 1)[1] for slow in table["slow"]] == forms
    assert (table["n"] == 2).all()
    means = raced.groupby("contender")["mean_reward"].mean()
    assert table["slow_reward"].tolist() == means[table["slow"]].tolist()
    assert Remembering.made.classifier.solver == "lbfgs"  # the last one played


def test_committed_race_is_of_bibtex_in_full():
    raced = load_table("cost_and_scaling/paper_package")
    assert set(raced["dataset"]) == {"bibtex"}
    assert set(raced["n_rounds"]) == {7395}
    assert set(against_package(raced)["fast"]) == {"EpsilonGreedy", "BootstrappedUCB"}


@pytest.mark.skipif(not is_installed(), reason=f"{PACKAGE} is not installed")
@pytest.mark.parametrize("policy", ["EpsilonGreedy", "BootstrappedUCB"])
def test_the_package_itself_learns_digits(policy):
    cost = play_package(load_dataset("digits"), seed=0, policy=policy)
    assert cost["mean_reward"] > 0.5
