"""Logs: twenty kinds of bad input, each refused in words that name the row; and logs of runs."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from six_rounds import six_rounds

from cbkit import EpsilonGreedy, MultilabelDataset, Smoothing, make_policy, simulate
from cbkit.off_policy import LoggedRounds


def with_value(values, row, value):
    changed = list(values)
    changed[row] = value
    return changed


P = [0.5, 0.25, 0.25, 0.5, 0.25, 0.25]
BAD = {
    "missing propensity": (
        {"propensities": with_value(P, 3, np.nan)},
        "propensities.*nan in row 3",
    ),
    "infinite propensity": (
        {"propensities": with_value(P, 2, np.inf)},
        "propensities.*inf in row 2",
    ),
    "zero propensity": ({"propensities": with_value(P, 4, 0.0)}, "greater than 0, got 0 in row 4"),
    "negative propensity": ({"propensities": with_value(P, 1, -0.1)}, "got -0.1 in row 1"),
    "propensity above 1": ({"propensities": with_value(P, 5, 1.5)}, "at most 1, got 1.5 in row 5"),
    "percentages": ({"propensities": [50, 25, 25, 50, 25, 25]}, "Divide by 100"),
    "several bad rows": ({"propensities": [0.5, 0, 0, 0.5, 0, 0.1]}, r"row 1 \(and 2 more rows\)"),
    "text propensities": ({"propensities": ["half"] * 6}, "propensities must be numbers"),
    "arm out of range": ({"arms": [0, 1, 3, 0, 1, 2]}, r"arms must be in \[0, 2\], got 3 in row 2"),
    "negative arm": ({"arms": [0, 1, 2, 0, -1, 2]}, "got -1 in row 4"),
    "fractional arm": ({"arms": [0, 1, 0.5, 0, 1, 2]}, "whole numbers, got 0.5 in row 2"),
    "missing arm": ({"arms": [0, 1, None, 0, 1, 2]}, "arms must be finite, got nan in row 2"),
    "reward of 2": ({"rewards": [1, 0, 1, 0, 2, 0]}, "rewards must be 0 or 1, got 2 in row 4"),
    "fractional reward": ({"rewards": [1, 0, 0.5, 0, 1, 0]}, "got 0.5 in row 2"),
    "missing reward": ({"rewards": [1, 0, np.nan, 0, 1, 0]}, "rewards must be finite.* row 2"),
    "missing context": ({"X": [[0.0], [1], [np.nan], [3], [4], [5]]}, "nan in row 2, column 0"),
    "sparse missing context": (
        {"X": sparse.csr_array([[0.0], [1], [0], [np.inf], [4], [5]])},
        "inf in row 3, column 0",
    ),
    "text contexts": ({"X": [["Rome"]] * 6}, "contexts must be numbers"),
    "flat contexts": ({"X": np.arange(6.0)}, "two dimensions"),
    "too few contexts": ({"X": np.zeros((5, 1))}, "X 5, arms 6"),
    "too few rewards": ({"rewards": [1, 0]}, "rewards 2"),
    "columns as a table": ({"arms": np.zeros((6, 1))}, r"shape \(n_rounds,\), got \(6, 1\)"),
    "one arm": ({"n_arms": 1}, "n_arms must be a whole number of at least 2"),
    "n_arms as a float": ({"n_arms": 3.0}, "n_arms must be a whole number"),
    "missing page": ({"pages": ["a", "a", None, "b", "b", "b"]}, "pages.*row 2"),
    "too few pages": ({"pages": ["a"] * 5}, "pages 5"),
    "no rounds": (
        {"X": np.zeros((0, 1)), "arms": [], "rewards": [], "propensities": []},
        "no rows|at least one round",
    ),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_bad_logs_are_refused_in_words(changes, message):
    with pytest.raises(ValueError, match=message):
        six_rounds(**changes)


def test_what_comes_as_booleans_series_or_sparse_is_a_log_too():
    plain = six_rounds()
    other = six_rounds(
        X=sparse.csc_matrix(plain.X),
        rewards=pd.Series([True, False, True, False, True, False], index=range(6, 12)),
        arms=np.array([0, 1, 2, 0, 1, 2], dtype=np.uint8),
    )
    assert other.rewards.tolist() == plain.rewards.tolist()
    assert other.arms.tolist() == plain.arms.tolist()
    assert (other.X.toarray() == plain.X).all()


def test_a_part_of_a_log_keeps_what_belongs_together():
    log = six_rounds(pages=["a", "a", "b", "b", "c", "c"])
    part = log.take(np.array([1, 4]))
    assert part.arms.tolist() == [1, 1]
    assert part.X[:, 0].tolist() == [1.0, 4.0]
    assert len(set(part.pages)) == 2


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return MultilabelDataset.from_arrays(rng.normal(size=(200, 3)), rng.integers(2, size=(200, 4)))


def test_a_run_becomes_a_log_round_by_round(data):
    policy = EpsilonGreedy(4, cold_start=Smoothing(a=1, b=2))
    run = simulate(policy, data, seed=0)
    log = LoggedRounds.from_run(run, data)
    assert (log.X == data.features[run.rounds["row"]]).all()
    assert log.rewards.tolist() == run.rounds["reward"].tolist()
    assert log.propensities.tolist() == run.rounds["propensity"].tolist()


def test_a_run_without_exact_propensities_is_refused_or_cut_on_request(data):
    run = simulate(EpsilonGreedy(4, cold_start=Smoothing(a=1, b=2)), data, seed=0)
    run.rounds.loc[[7, 9], "propensity"] = np.nan  # as where Beta draws decided
    with pytest.raises(ValueError, match=r"row 7 \(and 1 more rows\).*Beta draws"):
        LoggedRounds.from_run(run, data)
    assert LoggedRounds.from_run(run, data, drop_missing=True).n_rounds == 198
    run.rounds["propensity"] = np.nan
    with pytest.raises(ValueError, match="no round of EpsilonGreedy has an exact propensity"):
        LoggedRounds.from_run(run, data, drop_missing=True)


def test_a_run_of_another_data_set_is_refused(data):
    run = simulate(make_policy("RandomArm", data), data, seed=0)
    other = MultilabelDataset.from_arrays(data.features + 1, data.labels)
    with pytest.raises(ValueError, match="checksum"):
        LoggedRounds.from_run(run, other)
