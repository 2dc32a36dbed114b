"""Adaptive greedy choosers against traces worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import assert_shares

from cbkit.policies.choosers.adaptive import PercentileGreedy, ThresholdGreedy
from cbkit.policies.choosers.exploration import ActiveExplore, Context

BEST = [0.6, 0.2, 0.5, 0.4, 0.4, 0.4, 0.8, 0.1, 0.3, 0.3, 0.7, 0.35]


def trace(chooser, best=BEST):
    """Play rounds whose best arm has the given values; return explored flags and thresholds."""
    rng = np.random.default_rng(0)
    explored, thresholds = [], []
    for value in best:
        choice = chooser.choose(np.array([0.0, value, 0.05]), None, rng)
        explored.append(choice.explored)
        thresholds.append(chooser.threshold_)
    return explored, thresholds


# --- ContextualAdaptiveGreedy


def test_adaptive_greedy_follows_a_trace_worked_by_hand():
    # z halves each round: .8, .4, .2, .1; only a value strictly above z exploits.
    explored, thresholds = trace(
        ThresholdGreedy(threshold=0.8, decay=0.5), [0.7, 0.4, 0.3, 0.1, 0.1]
    )
    assert explored == [True, True, False, True, False]
    np.testing.assert_allclose(thresholds, [0.4, 0.2, 0.1, 0.05, 0.025])


def test_value_equal_to_the_threshold_explores():
    assert trace(ThresholdGreedy(threshold=0.5), [0.5])[0] == [True]


@pytest.mark.statistical
def test_adaptive_greedy_explores_all_arms_alike_and_says_so():
    chooser = ThresholdGreedy(threshold=1.0)
    rng = np.random.default_rng(0)
    choices = [chooser.choose(np.array([0.1, 0.9, 0.2, 0.3]), None, rng) for _ in range(2000)]
    assert_shares(np.array([choice.arm for choice in choices]), np.full(4, 0.25))
    assert {choice[1:] for choice in choices} == {(True, 0.25, False)}


# --- ContextualAdaptiveGreedy2


def test_moving_window_follows_a_trace_worked_by_hand():
    # Window 4, z0 = 0.45, percentile 50 halving from round 4 on. The sorted windows, and their
    # percentile p at position 3p/100:
    #  4: .2 .4 .5 .6   p=50    .45            9: .1 .3 .4 .8   p=1.5625   .1 + .046875 * .2
    #  5: .2 .4 .4 .5   p=25    .35           10: .1 .3 .3 .8   p=.78125   .1 + .0234375 * .2
    #  6: .4 .4 .4 .5   p=12.5  .4            11: .1 .3 .3 .7   p=.390625  .1 + .01171875 * .2
    #  7: .4 .4 .4 .8   p=6.25  .4            12: .3 .3 .35 .7  p=.1953125 .3
    #  8: .1 .4 .4 .8   p=3.125 .1 + .09375 * .3
    chooser = PercentileGreedy(window=4, threshold=0.45, percentile=50, decay=0.5)
    explored, thresholds = trace(chooser)
    expected = [0.45, 0.45, 0.45, 0.45, 0.35, 0.4, 0.4, 0.128125, 0.109375]
    expected += [0.1046875, 0.10234375, 0.3]
    np.testing.assert_allclose(thresholds, expected)
    # Best values against the threshold before: .6>.45 .2 .5>.45 .4 | .4 .4>.35 .8>.4 .1
    # | .3>.128 .3>.109 .7>.105 .35>.102
    assert [t for t, e in enumerate(explored, start=1) if e] == [2, 4, 5, 8]
    assert chooser.percentile_ == 50 / 2**9


def test_fixed_window_follows_a_trace_worked_by_hand():
    # The threshold changes after rounds 4, 8 and 12 alone; the percentile decays from round 4 on.
    #  4: .2 .4 .5 .6  p=50        .45
    #  8: .1 .4 .4 .8  p=3.125     .128125
    # 12: .3 .3 .35 .7 p=.1953125  .3
    chooser = PercentileGreedy(window=4, threshold=0.45, percentile=50, decay=0.5, moving=False)
    explored, thresholds = trace(chooser)
    np.testing.assert_allclose(thresholds, [0.45] * 7 + [0.128125] * 4 + [0.3])
    assert [t for t, e in enumerate(explored, start=1) if e] == [2, 4, 5, 6, 8]


def test_threshold_and_percentile_stay_until_the_window_is_full():
    chooser = PercentileGreedy(window=6, threshold=0.45, percentile=30, decay=0.9)
    _, thresholds = trace(chooser, BEST[:5])
    assert thresholds == [0.45] * 5
    assert chooser.percentile_ == 30
    trace(chooser, BEST[5:6])
    assert chooser.threshold_ == pytest.approx(np.percentile(BEST[:6], 30))
    assert chooser.percentile_ == pytest.approx(27)


def test_window_of_one_round_compares_with_the_round_before():
    explored, thresholds = trace(PercentileGreedy(window=1, threshold=0.45), BEST)
    assert thresholds == BEST
    assert explored == [now <= before for before, now in zip([0.45, *BEST], BEST, strict=False)]


def test_window_is_counted_in_rounds_whether_they_explore_or_not():
    chooser = PercentileGreedy(window=3, threshold=1.0, percentile=0)
    explored, thresholds = trace(chooser, [0.5, 0.6, 0.7, 0.8])
    assert explored == [True, True, True, False]
    assert thresholds == [1.0, 1.0, 0.5, 0.6]


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1 / 3])
def test_equal_values_never_beat_their_own_percentile(value):
    # Interpolating as v (1 - s) + v s rounds below v and would exploit by accident.
    chooser = PercentileGreedy(window=7, threshold=1.0, percentile=30, decay=0.97)
    explored, thresholds = trace(chooser, [value] * 500)
    assert all(explored)
    assert set(thresholds[6:]) == {value}


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=40),
    st.integers(1, 12),
    st.floats(1, 100),
    st.floats(0.5, 1),
    st.booleans(),
)
def test_threshold_is_numpys_percentile_of_the_window(best, window, percentile, decay, moving):
    chooser = PercentileGreedy(
        window=window, threshold=0.5, percentile=percentile, decay=decay, moving=moving
    )
    _, thresholds = trace(chooser, best)
    expected, p = 0.5, percentile
    for t, actual in enumerate(thresholds, start=1):
        if t >= window:
            if moving or t % window == 0:
                expected = np.percentile(np.maximum(best[t - window : t], 0.05), p)
            p *= decay
        assert actual == pytest.approx(expected, abs=1e-12)


def test_active_adaptive_greedy_explores_the_most_useful_arm():
    chooser = PercentileGreedy(window=9, threshold=0.95, explore=ActiveExplore())
    context = Context(np.array([[1.0]]), 0)
    choice = chooser.choose(np.array([0.1, 0.45, 0.9]), context, np.random.default_rng(0))
    assert choice == (1, True, 1.0, False)
    choice = chooser.choose(np.array([0.1, 0.45, 0.96]), context, np.random.default_rng(0))
    assert choice == (2, False, 1.0, False)


# --- bad input


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ThresholdGreedy(threshold=30), "threshold must be in .* did you mean 0.3"),
        (lambda: ThresholdGreedy(threshold=-0.1), "threshold must be in"),
        (lambda: ThresholdGreedy(threshold=np.nan), "threshold must be a finite number"),
        (lambda: ThresholdGreedy(threshold=0.5, decay=0), "decay must be in"),
        (lambda: PercentileGreedy(window=0, threshold=0.5), "window must be a whole"),
        (lambda: PercentileGreedy(window=2.5, threshold=0.5), "window must be a whole"),
        (lambda: PercentileGreedy(window=2, threshold=50), "threshold must be in"),
        (
            lambda: PercentileGreedy(window=2, threshold=0.5, percentile=0.3),
            "percentile must be in .* did you mean 30",
        ),
        (lambda: PercentileGreedy(window=2, threshold=0.5, decay=2), "decay must be in"),
    ],
)
def test_bad_parameters_are_refused_with_name_and_value(make, message):
    with pytest.raises(ValueError, match=message):
        make()
