"""Inverse gap weighting: probabilities by hand, and draws that follow them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import assert_shares

from cbkit.policies.choosers.inverse_gap import InverseGapWeighting


def test_inverse_gaps_follow_the_formula_by_hand_and_the_rate_grows():
    chooser, rng = InverseGapWeighting(scale=2.0, exponent=0.5), np.random.default_rng(0)
    values = np.array([0.9, 0.4, 0.9, 0.65])
    for round_ in (1, 2, 3):
        rate = 2.0 * np.sqrt(4 * round_)
        worse = 1 / (4 + rate * 0.5), 1 / (4 + rate * 0.25)
        best = (1 - sum(worse)) / 2  # two tie
        expected = [best, worse[0], best, worse[1]]
        np.testing.assert_allclose(chooser.probabilities(values), expected)
        choice = chooser.choose(values, None, rng)
        assert choice.propensity == pytest.approx(expected[choice.arm])
        assert choice.explored == (choice.arm in (1, 3))


@pytest.mark.statistical
def test_arms_are_drawn_as_often_as_inverse_gaps_say():
    rng, values = np.random.default_rng(0), np.array([0.1, 0.7, 0.7, 0.5])
    chooser = InverseGapWeighting(scale=3.0, exponent=0.0)
    arms = [chooser.choose(values, None, rng).arm for _ in range(4000)]
    assert_shares(arms, chooser.probabilities(values))


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30), st.floats(0.01, 1e6))
def test_inverse_gaps_are_probabilities_that_favour_the_best(values, scale):
    values = np.array(values)
    probabilities = InverseGapWeighting(scale=scale).probabilities(values)
    assert (probabilities > 0).all() and probabilities.sum() == pytest.approx(1)
    assert probabilities.max() == pytest.approx(probabilities[values.argmax()])


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"scale": 0}, "scale must be greater than 0, got 0"),
        ({"exponent": -0.5}, "exponent must be at least 0, got -0.5"),
    ],
)
def test_rates_that_do_not_explore_less_with_time_are_refused(keywords, message):
    with pytest.raises(ValueError, match=message):
        InverseGapWeighting(**keywords)
