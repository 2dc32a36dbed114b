"""Policies by name: the paper's hyperparameters, plain-data forms, suggestions for typos."""

import inspect

import numpy as np
import pytest

import cbkit
from cbkit import MABFirst, MultilabelDataset, Resampling, Smoothing, make_policy
from cbkit.oracles.classifiers import ClassifierOracle
from cbkit.oracles.logistic import LogisticOracle
from cbkit.oracles.streaming import StreamingLogisticOracle
from cbkit.policies.registry import (
    paper_hyperparameters,
    paper_policy_names,
    policy_names,
)


def dataset(name="custom", n_rows=100, n_arms=4):
    labels = np.zeros((n_rows, n_arms), dtype=int)
    labels[:, 2] = 1
    return MultilabelDataset.from_arrays(np.ones((n_rows, 1)), labels, name=name)


DATA = dataset()


def test_every_policy_of_the_paper_has_a_name():
    assert paper_policy_names() == (
        "RandomArm",
        "BestArmInHindsight",
        "BestArmOnline",
        "Greedy",
        "EpsilonGreedy",
        "ExploreThenExploit",
        "AlternatingEpochs",
        "SoftmaxExplorer",
        "BootstrappedUCB",
        "OnlineBootstrappedUCB",
        "BootstrappedTS",
        "OnlineBootstrappedTS",
        "ContextualAdaptiveGreedy",
        "ContextualAdaptiveGreedy2",
        "ActiveExplorer",
        "ActiveAdaptiveGreedy",
    )


def test_policies_that_the_paper_lacks_have_names_too():
    assert policy_names() == (
        *paper_policy_names(),
        "SmoothedGreedy",
        "LogisticUCB",
        "LogisticTS",
        "LinUCB",
        "LinTS",
        "SquareCB",
        "RegCB",
        "Bagging",
    )


@pytest.mark.parametrize("name", ["SmoothedGreedy", "SquareCB", "ExploreThenExploit"])
def test_policies_with_a_cold_start_of_their_own_keep_it(name):
    assert "cold_start" not in paper_hyperparameters(name, DATA)


@pytest.mark.parametrize("name", policy_names())
def test_policies_carry_their_name_and_are_fresh_each_time(name):
    one, other = make_policy(name, DATA), make_policy(name, DATA)
    assert one.name == name
    assert one.n_arms == DATA.n_arms
    assert one.history_ is not other.history_
    assert one.chooser is not other.chooser
    assert one.oracle is None or one.oracle is not other.oracle


@pytest.mark.parametrize("name", policy_names())
def test_every_algorithm_says_what_it_does(name):
    assert inspect.getdoc(getattr(cbkit, name))


# --- the paper's hyperparameters


@pytest.mark.parametrize(
    ("name", "attribute", "expected"),
    [
        ("EpsilonGreedy", "chooser.explore_probability", 0.2),
        ("EpsilonGreedy", "chooser.decay", 0.9999),
        ("ActiveExplorer", "chooser.explore_probability", 0.15),
        ("ActiveExplorer", "chooser.explore.criterion", "weighted"),
        ("ContextualAdaptiveGreedy", "chooser.threshold", 1 / (2 * 4**0.5)),
        ("ContextualAdaptiveGreedy", "chooser.decay", 0.9997),
        ("ContextualAdaptiveGreedy2", "chooser.percentile", 30),
        ("ContextualAdaptiveGreedy2", "chooser.decay", 0.9997),
        ("ContextualAdaptiveGreedy2", "chooser.threshold", 0.25),
        ("ActiveAdaptiveGreedy", "chooser.decay", 0.9997),
        ("ActiveAdaptiveGreedy", "chooser.explore.criterion", "weighted"),
        ("SoftmaxExplorer", "chooser.multiplier", 2.0),
        ("SoftmaxExplorer", "chooser.inflation", 1.001),
        ("BootstrappedUCB", "index.percentile", 80),
        ("BootstrappedUCB", "oracle.resampling", Resampling(kind="multinomial", n_resamples=10)),
        ("BootstrappedTS", "oracle.resampling", Resampling(kind="multinomial", n_resamples=10)),
        ("OnlineBootstrappedUCB", "index.percentile", 80),
        (
            "OnlineBootstrappedTS",
            "oracle.resampling",
            Resampling(kind="gamma(1,1)", n_resamples=10, kept=True),
        ),
        ("BestArmInHindsight", "chooser.arm", 2),
        ("Greedy", "cold_start", MABFirst(a=3, b=7, m=2)),
        ("ExploreThenExploit", "cold_start", None),
    ],
)
def test_hyperparameters_are_the_papers(name, attribute, expected):
    value = make_policy(name, DATA)
    for part in attribute.split("."):
        value = getattr(value, part)
    assert value == expected


@pytest.mark.parametrize(
    ("name", "n_rows", "turning_point", "prior"),
    [
        ("bibtex", 7395, 2000, (3, 7, 2)),
        ("bibtex-like", 7395, 2000, (3, 7, 2)),
        ("bibtex[arms=40]", 7395, 2000, (3, 7, 2)),
        ("delicious", 16105, 4000, (3, 7, 2)),
        ("mediamill", 43907, 12000, (1, 10, 2)),
        ("mediamill-reduced", 43907, 12000, (1, 10, 2)),
        ("mediamill-2000", 2000, 540, (1, 10, 2)),
        ("mediamill-like-reduced", 43907, 12000, (1, 10, 2)),
        ("mediamill[drop_common=5][used]", 43907, 12000, (1, 10, 2)),
        ("demo", 3000, 810, (3, 7, 2)),
        ("bibtex_of_mine", 7395, 1997, (3, 7, 2)),
        ("mediamill_of_mine", 43907, 11855, (3, 7, 2)),
        ("mediamill[mine]", 43907, 11855, (3, 7, 2)),
        ("my mediamill", 43907, 11855, (3, 7, 2)),
        ("tiny", 3, 1, (3, 7, 2)),
    ],
)
def test_turning_points_and_priors_follow_the_data_set(name, n_rows, turning_point, prior):
    data = dataset(name, n_rows)
    a, b, m = prior
    assert paper_hyperparameters("ExploreThenExploit", data) == {"turning_point": turning_point}
    assert paper_hyperparameters("Greedy", data) == {"cold_start": MABFirst(a=a, b=b, m=m)}
    assert paper_hyperparameters("BestArmOnline", data) == {"cold_start": MABFirst(a=a, b=b, m=m)}
    assert paper_hyperparameters("RandomArm", data) == {}


def test_subsets_of_arms_keep_the_constants_of_their_origin():
    origin = dataset("mediamill", 100)
    for derived in (origin.subset_arms(3, 0), origin.drop_common_arms(1)):
        assert paper_hyperparameters("Greedy", derived) == paper_hyperparameters("Greedy", origin)


# --- overrides


def test_overrides_replace_the_papers():
    policy = make_policy("BootstrappedUCB", DATA, percentile=90, n_resamples=3, cold_start=None)
    assert policy.index.percentile == 90
    assert policy.oracle.resampling.n_resamples == 3
    assert policy.cold_start is None
    assert make_policy("BestArmInHindsight", DATA, arm=0).chooser.arm == 0


def test_cold_start_and_oracle_may_be_plain_data():
    plain = {"MABFirst": {"a": 1, "b": 4, "m": 3}, "Smoothing": {"a": 1, "b": 10}}
    policy = make_policy("Greedy", DATA, cold_start=plain, oracle={"logistic": {"C": 10.0}})
    assert policy.cold_start_.mab_first == MABFirst(a=1, b=4, m=3)
    assert policy.cold_start_.smoothing == Smoothing(a=1, b=10)
    assert policy.oracle == LogisticOracle(C=10.0)
    streaming = make_policy("Greedy", DATA, oracle="streaming-logistic").oracle
    assert isinstance(streaming, StreamingLogisticOracle)


def test_cold_start_constants_may_be_written_over_the_number_of_arms():
    plain = {"MABFirst": {"a": "5/k", "b": 4, "m": 2}, "Smoothing": {"a": "0.5 / k", "b": 1}}
    policy = make_policy("Greedy", DATA, cold_start=plain)
    assert policy.cold_start_.mab_first == MABFirst(a=1.25, b=4, m=2)
    assert policy.cold_start_.smoothing == Smoothing(a=0.125, b=1)
    assert plain["MABFirst"]["a"] == "5/k"


def test_any_classifier_becomes_an_oracle():
    from sklearn.naive_bayes import GaussianNB

    oracle = make_policy("BootstrappedTS", DATA, oracle=GaussianNB(), n_resamples=4).oracle
    assert isinstance(oracle, ClassifierOracle)
    assert oracle.resampling.n_resamples == 4


# --- typos


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("greedy", "unknown policy 'greedy'; did you mean 'Greedy'?"),
        ("BootstrapedUCB", "did you mean 'BootstrappedUCB'?"),
        ("EpsGreedy", "did you mean 'EpsilonGreedy'?"),
        ("zzz", "unknown policy 'zzz'; Write one of: RandomArm, "),
        (7, "unknown policy 7; Write one of: RandomArm, "),
        (None, "unknown policy None; "),
    ],
)
def test_unknown_names_are_refused_with_the_closest(name, message):
    with pytest.raises(ValueError) as error:
        make_policy(name, DATA)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "parameter", "message"),
    [
        ("BootstrappedUCB", "percentil", "no parameter 'percentil'; did you mean 'percentile'?"),
        ("BootstrappedTS", "percentile", "BootstrappedTS has no parameter 'percentile'; "),
        ("Greedy", "n_resamples", "Write one of: cold_start, exclusive_rewards, oracle"),
        ("RandomArm", "oracle", "Write one of: none"),
        ("Greedy", "n_arms", "no parameter 'n_arms'"),
        ("Greedy", "common", "no parameter 'common'"),
    ],
)
def test_unknown_parameters_are_refused_with_those_known(name, parameter, message):
    with pytest.raises(ValueError) as error:
        make_policy(name, DATA, **{parameter: 1})
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("BootstrappedUCB", {"percentile": 0.8}, "did you mean 80"),
        ("EpsilonGreedy", {"explore_probability": 20}, "did you mean 0.2"),
        ("BootstrappedTS", {"n_resamples": 0}, "n_resamples must be a whole number"),
        ("BootstrappedTS", {"n_resamples": 10.0}, "write 10"),
        ("BootstrappedTS", {"weights": "normal"}, "unknown kind of resample weights 'normal'"),
        ("BootstrappedTS", {"kept": True}, "multinomial weights .* cannot be kept"),
        ("BootstrappedUCB", {"oracle": "streaming-logistic"}, "multinomial resamples need"),
        ("Greedy", {"oracle": "linear"}, "unknown oracle"),
        ("Greedy", {"oracle": None}, "classifier must have a fit method, got None"),
        ("Greedy", {"cold_start": MABFirst(a=[1, 2], b=7)}, "2 values of a for 4 arms"),
        ("Greedy", {"cold_start": "beta"}, "cold_start must be"),
        ("BestArmInHindsight", {"arm": 4}, r"arms must be in \[0, 3\], got 4"),
        ("BestArmInHindsight", {"arm": 1.5}, "arms must be whole numbers"),
        ("BestArmOnline", {"cold_start": None}, "draws from a Beta prior"),
        ("BestArmOnline", {"cold_start": Smoothing(a=1, b=2)}, "draws from a Beta prior"),
        ("Greedy", {"cold_start": {"MABFirst": {"a": "k/5", "b": 4}}}, "\"number/k\", got 'k/5'"),
        ("Greedy", {"cold_start": {"MABFirst": {"a": "5/k", "b": "0/k"}}}, "b must be greater"),
        ("Greedy", {"cold_start": {"MABFirst": [3, 7, 2]}}, "constants by name"),
        ("Greedy", {"cold_start": {"Beta": 3}}, "unknown parts"),
        ("ExploreThenExploit", {"turning_point": -5}, "turning_point must be"),
        ("ActiveExplorer", {"explore": "most"}, "criterion must be weighted, min or max"),
        ("ContextualAdaptiveGreedy", {"threshold": 50}, "did you mean 0.5"),
    ],
)
def test_bad_values_are_refused(name, overrides, message):
    with pytest.raises(ValueError, match=message):
        make_policy(name, DATA, **overrides)


def test_a_parameter_that_an_algorithm_lacks_is_refused_in_the_algorithms_name():
    with pytest.raises(TypeError, match=r"EpsilonGreedy has no parameter 'epsilon'.* cold_start"):
        cbkit.EpsilonGreedy(3, epsilon=0.1)
