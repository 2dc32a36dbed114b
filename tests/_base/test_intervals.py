"""Claims about means over replicates and their intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from cbkit._base.intervals import intervals, mean_interval


def runs(rewards, policy="Greedy", **columns):
    """One row per replicate, as the experiments write them."""
    table = {"dataset": "demo", "policy": policy, "variant": "full refit"}
    table |= {"seed": range(len(rewards)), "mean_reward": rewards}
    return pd.DataFrame(table | columns)


def test_interval_is_student_t():
    values = np.array([0.30, 0.31, 0.35, 0.28])
    mean, low, high, n = mean_interval(values)
    expected = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (mean, n) == (pytest.approx(0.31), 4)
    assert (low, high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_one_replicate_has_a_missing_interval_and_n_1():
    mean, low, high, n = mean_interval([0.4])
    assert (mean, n) == (0.4, 1) and np.isnan(low) and np.isnan(high)
    table = intervals(runs([0.4]), ["dataset", "policy"])
    assert table["n"].item() == 1 and table[["low", "high"]].isna().all().all()


@pytest.mark.parametrize("values", [[], [0.1, np.nan], [[0.1], [0.2]]])
def test_interval_of_nothing_or_of_missing_values_is_refused(values):
    with pytest.raises(ValueError, match="one finite value per replicate"):
        mean_interval(values)


def test_grouped_intervals_equal_single_ones_and_keep_the_order():
    table = intervals(pd.concat([runs([0.3, 0.4, 0.2]), runs([0.1, 0.2], "Active")]), ["policy"])
    assert list(table["policy"]) == ["Greedy", "Active"]
    for row, values in zip(table.itertuples(), ([0.3, 0.4, 0.2], [0.1, 0.2]), strict=True):
        np.testing.assert_allclose((row.mean, row.low, row.high, row.n), mean_interval(values))


def test_curves_are_grouped_by_round_as_well():
    curves = pd.concat(runs([0.1 * mark, 0.2 * mark], round=mark) for mark in (1, 2))
    table = intervals(curves)
    assert list(table.columns[:4]) == ["dataset", "variant", "policy", "round"]
    np.testing.assert_allclose(table["mean"], [0.15, 0.3])


def test_a_replicate_counted_twice_or_missing_is_refused():
    with pytest.raises(ValueError, match="more than once"):
        intervals(pd.concat([runs([0.3]), runs([0.3])]), ["policy"])
    with pytest.raises(ValueError, match="missing in 1 rows of 2"):
        intervals(runs([0.3, np.nan]), ["policy"])
