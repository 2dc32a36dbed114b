"""From numbers per arm to an arm: rules and schedules by hand, frequencies against propensities."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import assert_shares

from cbkit.policies.choosers import (
    AlternatingPeriods,
    EpsilonMix,
    FixedArm,
    HighestValue,
    RandomThenBest,
    SoftmaxDraw,
    UniformArm,
)
from cbkit.policies.choosers.chooser import best_arms

VALUES = np.array([0.2, 0.8, 0.5])
TIED = np.array([0.2, 0.8, 0.8])


def play(chooser, n_rounds, values=VALUES, seed=0):
    rng = np.random.default_rng(seed)
    return [chooser.choose(values, None, rng) for _ in range(n_rounds)]


def arms_of(choices):
    return np.array([choice.arm for choice in choices])


# --- greedy, random, fixed


def test_greedy_chooses_the_highest_value_and_is_sure_of_it():
    assert set(play(HighestValue(), 20)) == {(1, False, 1.0, False)}


def test_all_highest_arms_count_as_best():
    assert best_arms(TIED).tolist() == [1, 2]


@pytest.mark.statistical
def test_ties_are_broken_at_random_among_equals():
    choices = play(HighestValue(), 2000, TIED)
    assert_shares(arms_of(choices), [0, 0.5, 0.5])
    assert {choice.propensity for choice in choices} == {0.5}


@pytest.mark.statistical
def test_untouched_arms_are_all_played():
    assert_shares(arms_of(play(HighestValue(), 2000, np.full(5, 0.5))), np.full(5, 0.2))


@pytest.mark.statistical
def test_random_arm_ignores_the_values():
    choices = play(UniformArm(), 2000)
    assert_shares(arms_of(choices), np.full(3, 1 / 3))
    assert {choice[1:] for choice in choices} == {(True, 1 / 3, True)}


def test_fixed_arm_is_always_the_same():
    assert set(play(FixedArm(arm=2), 10)) == {(2, False, 1.0, True)}


@pytest.mark.parametrize("arm", [-1, 1.0, 0.5, True, None, "1"])
def test_fixed_arm_must_be_an_arm(arm):
    with pytest.raises(ValueError, match="arm must be a whole number of at least 0"):
        FixedArm(arm=arm)


def test_fixed_arm_out_of_range_is_refused_when_played():
    with pytest.raises(ValueError, match=r"arm must be in \[0, 2\], got 3"):
        play(FixedArm(arm=3), 1)


# --- epsilon-greedy


def test_explore_probability_decays_once_per_round_played():
    chooser = EpsilonMix(explore_probability=0.2, decay=0.9)
    for t in range(30):
        assert chooser.probability_ == pytest.approx(0.2 * 0.9**t, rel=1e-12)
        play(chooser, 1)


@pytest.mark.parametrize("probability", [0, 1])
def test_explore_probability_0_never_and_1_always_explores(probability):
    explored = {c.explored for c in play(EpsilonMix(explore_probability=probability), 200)}
    assert explored == {bool(probability)}


def test_epsilon_greedy_states_the_exact_propensity_of_its_arm():
    # p = 0.3 spread over 3 arms, 0.7 over the two best: 0.1, 0.1 + 0.35, 0.1 + 0.35.
    choices = play(EpsilonMix(explore_probability=0.3), 300, TIED)
    expected = np.array([0.1, 0.45, 0.45])
    assert set(arms_of(choices)) == {0, 1, 2}
    np.testing.assert_allclose([c.propensity for c in choices], expected[arms_of(choices)])


@pytest.mark.statistical
def test_epsilon_greedy_plays_arms_as_often_as_its_propensities_say():
    choices = play(EpsilonMix(explore_probability=0.3), 4000, TIED)
    assert_shares(arms_of(choices), [0.1, 0.45, 0.45])
    assert_shares(np.array([int(c.explored) for c in choices]), [0.7, 0.3])


def test_exploring_is_flagged_even_if_it_hits_the_best_arm():
    choices = play(EpsilonMix(explore_probability=1), 100)
    assert any(choice.arm == 1 for choice in choices)
    assert all(choice.explored for choice in choices)


# --- schedules by rounds


@pytest.mark.parametrize("turning_point", [1, 2, 7])
def test_explore_then_exploit_explores_exactly_the_rounds_before_the_turning_point(turning_point):
    choices = play(RandomThenBest(turning_point=turning_point), 12)
    explored = [t for t, choice in enumerate(choices, start=1) if choice.explored]
    assert explored == [t for t in range(1, 13) if t < turning_point]
    assert set(arms_of(choices)[turning_point - 1 :]) == {1}


def test_explore_then_exploit_knows_its_propensities():
    choices = play(RandomThenBest(turning_point=3), 4, TIED)
    assert [choice.propensity for choice in choices] == [1 / 3, 1 / 3, 0.5, 0.5]
    assert [choice.blind for choice in choices] == [True, True, False, False]


def test_alternating_epochs_start_with_exploring_and_come_round_again():
    choices = play(AlternatingPeriods(explore_rounds=2, exploit_rounds=3), 12)
    assert "".join("RB"[not choice.explored] for choice in choices) == "RRBBBRRBBBRR"


# --- softmax


def test_softmax_of_inverse_sigmoids_has_the_odds_to_the_power_of_the_multiplier():
    # Odds 1/4, 1 and 4; multiplier 2 squares them: 1/16, 1, 16, of 273/16 in all.
    probabilities = SoftmaxDraw(multiplier=2.0).probabilities(np.array([0.2, 0.5, 0.8]))
    np.testing.assert_allclose(probabilities, np.array([1, 16, 256]) / 273)


def test_softmax_is_not_applied_to_probabilities():
    values = np.array([0.1, 0.9])
    chooser = SoftmaxDraw(multiplier=1.0)
    np.testing.assert_allclose(chooser.probabilities(values), [1 / 82, 81 / 82])


def test_softmax_multiplier_inflates_once_per_round_played():
    chooser = SoftmaxDraw(multiplier=2.0, inflation=1.001)
    play(chooser, 500)
    assert chooser.multiplier_ == pytest.approx(2.0 * 1.001**500, rel=1e-9)
    chooser.probabilities(VALUES)
    assert chooser.multiplier_ == pytest.approx(2.0 * 1.001**500, rel=1e-9)


def test_softmax_does_not_overflow_in_a_million_rounds():
    # 1,000 rounds at 1.001 ** 1000 end where 1,000,000 rounds at 1.001 do: beyond 1e434.
    chooser = SoftmaxDraw(multiplier=2.0, inflation=1.001**1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choices = play(chooser, 1000, np.array([0.0, 1.0, 0.3]))
    assert np.isfinite(chooser.multiplier_)
    assert choices[-1] == (1, False, 1.0, False)


def test_inflated_softmax_becomes_an_argmax_with_ties_at_random():
    chooser = SoftmaxDraw(multiplier=1e12)
    assert chooser.probabilities(np.array([0.3, 0.3, 0.3 - 1e-9])).tolist() == [0.5, 0.5, 0.0]


@pytest.mark.statistical
def test_softmax_plays_arms_as_often_as_its_propensities_say():
    choices = play(SoftmaxDraw(multiplier=1.0, inflation=1.0), 4000, np.array([0.2, 0.5, 0.8]))
    probabilities = np.array([1, 4, 16]) / 21
    assert_shares(arms_of(choices), probabilities)
    np.testing.assert_allclose([c.propensity for c in choices], probabilities[arms_of(choices)])
    assert all(choice.explored == (choice.arm != 2) for choice in choices)


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=8),
    st.floats(1e-3, 1e12),
)
def test_softmax_probabilities_are_a_distribution_that_follows_the_values(values, multiplier):
    values = np.array(values)
    probabilities = SoftmaxDraw(multiplier=multiplier).probabilities(values)
    assert probabilities.sum() == pytest.approx(1)
    order = np.argsort(values)
    assert (np.diff(probabilities[order]) >= 0).all()


# --- properties of all


CHOOSERS = [
    lambda: HighestValue(),
    lambda: UniformArm(),
    lambda: FixedArm(arm=1),
    lambda: EpsilonMix(explore_probability=0.5, decay=0.99),
    lambda: RandomThenBest(turning_point=5),
    lambda: AlternatingPeriods(explore_rounds=1, exploit_rounds=1),
    lambda: SoftmaxDraw(),
]


@given(
    st.sampled_from(CHOOSERS),
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
    st.integers(0, 100),
)
def test_every_choice_is_an_arm_with_a_positive_propensity(make, values, seed):
    for choice in play(make(), 8, np.array(values), seed):
        assert isinstance(choice.arm, int)
        assert 0 <= choice.arm < len(values)
        assert 0 < choice.propensity <= 1 + 1e-12


# --- bad input


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EpsilonMix(explore_probability=20), "did you mean 0.2"),
        (lambda: EpsilonMix(explore_probability=-0.1), "explore_probability must be in"),
        (lambda: EpsilonMix(explore_probability=0.2, decay=0), "decay must be in"),
        (lambda: EpsilonMix(explore_probability=0.2, decay=1.1), "decay must be in"),
        (lambda: RandomThenBest(turning_point=0), "turning_point must be a whole number"),
        (lambda: RandomThenBest(turning_point=0.27), "turning_point must be a whole number"),
        (lambda: AlternatingPeriods(explore_rounds=0, exploit_rounds=1), "explore_rounds must"),
        (lambda: AlternatingPeriods(explore_rounds=1, exploit_rounds=-1), "exploit_rounds must"),
        (lambda: SoftmaxDraw(multiplier=0), "multiplier must be greater than 0, got 0"),
        (lambda: SoftmaxDraw(multiplier=np.inf), "multiplier must be a finite number"),
        (lambda: SoftmaxDraw(multiplier="2"), "multiplier must be a finite number"),
        (lambda: SoftmaxDraw(inflation=0.99), "inflation must be at least 1, got 0.99"),
        (lambda: SoftmaxDraw(inflation=np.nan), "inflation must be a finite number"),
    ],
)
def test_bad_parameters_are_refused_with_name_and_value(make, message):
    with pytest.raises(ValueError, match=message):
        make()
