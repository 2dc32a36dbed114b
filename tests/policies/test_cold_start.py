"""MAB-first and smoothing: formulas and thresholds by hand, draws against their distribution."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import assert_mean
from scipy import stats

from cbkit.policies.cold_start import MABFirst, Smoothing, split_cold_start

PRIOR = MABFirst(a=3, b=7, m=2)


# --- MAB-first


def test_arm_stays_cold_until_both_labels_were_seen_m_times():
    positives = np.array([0, 1, 2, 5, 2, 1])
    negatives = np.array([9, 5, 1, 0, 2, 1])
    assert PRIOR.is_cold(positives, negatives).tolist() == [True, True, True, True, False, True]


@given(st.integers(0, 6), st.integers(0, 6), st.integers(1, 5))
def test_threshold_counts_rewards_and_non_rewards_apart(positive, negative, m):
    cold = MABFirst(a=1, b=1, m=m).is_cold(np.array([positive]), np.array([negative]))
    assert cold[0] == (min(positive, negative) < m)


@pytest.mark.statistical
def test_cold_scores_are_draws_from_the_beta_posterior():
    n = 4000
    arms = np.zeros(n, dtype=int)
    draws = PRIOR.draw(arms, np.full(n, 1), np.full(n, 5), np.random.default_rng(0), 1)[0]
    posterior = stats.beta(3 + 1, 7 + 5)
    assert_mean(draws, posterior.mean(), posterior.std())
    below = draws < posterior.ppf(0.1)
    assert_mean(below, 0.1, np.sqrt(0.1 * 0.9))
    assert stats.kstest(draws, posterior.cdf).pvalue > 1e-3


@pytest.mark.statistical
def test_constants_and_counts_belong_to_the_arms_that_are_drawn():
    # Sharp priors: arm 0 near 0.1, arm 1 near 0.9, arm 2 near 0.5.
    prior = MABFirst(a=np.array([1e4, 9e4, 5e4]), b=np.array([9e4, 1e4, 5e4]))
    none = np.zeros(2, dtype=int)
    draws = prior.draw(np.array([2, 0]), none, none, np.random.default_rng(0), 1)[0]
    np.testing.assert_allclose(draws, [0.5, 0.1], atol=0.01)
    counts = np.array([0, 10**7]), np.array([10**7, 0])
    draws = MABFirst(a=1, b=1).draw(np.array([2, 0]), *counts, np.random.default_rng(0), 1)[0]
    np.testing.assert_allclose(draws, [0, 1], atol=1e-5)


def test_no_arms_give_no_draws():
    none = np.empty(0, dtype=int)
    draws = MABFirst(a=np.ones(3), b=4).draw(none, none, none, np.random.default_rng(0), 5)
    assert draws.shape == (5, 0)


# --- smoothing


def test_smoothing_follows_its_formula():
    # (10 * .5 + 1) / 20, (0 * .5 + 1) / 10, (90 * 1 + 1) / 100, (90 * 0 + 1) / 100
    smooth = Smoothing(a=1, b=10)(np.array([0.5, 0.5, 1.0, 0.0]), np.array([10, 0, 90, 90]))
    np.testing.assert_allclose(smooth, [0.3, 0.1, 0.91, 0.01])


def test_smoothing_constants_may_differ_between_arms():
    smooth = Smoothing(a=np.array([1.0, 2.0]), b=np.array([2.0, 10.0]))
    np.testing.assert_allclose(smooth(np.array([0.5, 0.5]), np.array([0, 10])), [0.5, 0.35])


@given(st.floats(0, 1), st.integers(0, 10**6), st.floats(0, 5), st.floats(5.1, 100))
def test_smoothed_score_lies_between_the_score_and_the_prior_mean(score, n, a, b):
    smooth = Smoothing(a=a, b=b)(np.array([score]), np.array([n]))[0]
    assert min(score, a / b) - 1e-12 <= smooth <= max(score, a / b) + 1e-12


# --- arms that come and go


def test_constants_for_all_arms_stay_as_arms_come_and_go():
    assert PRIOR.add_arm({}) == PRIOR
    assert PRIOR.drop_arm(1) == PRIOR


def test_constants_per_arm_follow_the_arms():
    prior = MABFirst(a=[1, 2, 3], b=4, m=3)
    grown = prior.add_arm({"a": 9})
    assert (grown.a.tolist(), grown.b, grown.m) == ([1, 2, 3, 9], 4, 3)
    assert prior.drop_arm(1).a.tolist() == [1, 3]
    assert prior.a.tolist() == [1, 2, 3]


def test_new_arm_without_its_constants_is_refused():
    with pytest.raises(ValueError, match=r"Smoothing has a value of b per arm: write add_arm\(b="):
        Smoothing(a=1, b=[4, 5]).add_arm({"a": 1})


def test_constants_are_copied_from_the_caller():
    a = np.array([1.0, 2.0])
    prior = MABFirst(a=a, b=4)
    a[:] = 100
    assert prior.a.tolist() == [1, 2]


def test_constants_for_another_number_of_arms_are_refused():
    with pytest.raises(ValueError, match="MABFirst has 2 values of a for 3 arms"):
        MABFirst(a=[1, 2], b=4).check_arms(3)
    MABFirst(a=[1, 2], b=4).check_arms(2)


def test_cold_starts_pickle():
    assert pickle.loads(pickle.dumps((PRIOR, Smoothing(a=1, b=2)))) == (PRIOR, Smoothing(a=1, b=2))


# --- what a policy takes


SMOOTHING = Smoothing(a=1, b=10)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, (None, None)),
        (PRIOR, (PRIOR, None)),
        (SMOOTHING, (None, SMOOTHING)),
        ((PRIOR, SMOOTHING), (PRIOR, SMOOTHING)),
        ([SMOOTHING, PRIOR], (PRIOR, SMOOTHING)),
        ({"MABFirst": {"a": 3, "b": 7, "m": 2}}, (PRIOR, None)),
        ({"Smoothing": {"a": 1, "b": 10}}, (None, SMOOTHING)),
        (
            {"MABFirst": {"a": 3, "b": 7}, "Smoothing": {"a": 1, "b": 10}},
            (PRIOR, SMOOTHING),
        ),
    ],
)
def test_cold_start_is_given_as_objects_or_plain_data(given, expected):
    assert split_cold_start(given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("MABFirst", "cold_start must be MABFirst"),
        (3, "cold_start must be MABFirst.* got 3"),
        ((PRIOR, PRIOR), "cold_start must be MABFirst"),
        ((SMOOTHING, SMOOTHING), "cold_start must be MABFirst"),
        ((PRIOR, None), "cold_start must be MABFirst"),
        ({"Beta": {"a": 3}}, r"unknown parts \['Beta'\]; write MABFirst or Smoothing"),
        ({"MABFirst": {"a": 0, "b": 7}}, "a must be greater than 0"),
    ],
)
def test_other_cold_starts_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        split_cold_start(given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MABFirst(a=0, b=7), "a must be greater than 0, .* got 0"),
        (lambda: MABFirst(a=3, b=-1), "b must be greater than 0, .* got -1"),
        (lambda: MABFirst(a=np.nan, b=7), "a must be greater than 0, .* got nan"),
        (lambda: MABFirst(a=np.inf, b=7), "got inf"),
        (lambda: MABFirst(a=None, b=7), "got None"),
        (lambda: MABFirst(a=[[1, 2]], b=7), "one number or one per arm"),
        (lambda: MABFirst(a=[1, 0], b=7), "a must be greater than 0"),
        (lambda: MABFirst(a=3, b=7, m=0), "m must be a whole number of at least 1, got 0"),
        (lambda: MABFirst(a=3, b=7, m=1.5), "m must be a whole number"),
        (lambda: Smoothing(a=-1, b=2), "a must be at least 0, .* got -1"),
        (lambda: Smoothing(a=0, b=0), "b must be greater than 0"),
        (lambda: Smoothing(a=2, b=2), "smoothing needs a < b, got a=2.0 and b=2.0"),
        (lambda: Smoothing(a=[1, 3], b=2), "smoothing needs a < b"),
    ],
)
def test_bad_constants_are_refused_with_name_and_value(make, message):
    with pytest.raises(ValueError, match=message):
        make()
