"""From resamples' scores to one number per arm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sampling import assert_shares
from scipy.special import expit, logit

from cbkit.policies.indices import (
    Mean,
    NormalBound,
    NormalDraw,
    RandomResample,
    SharedResample,
    UpperPercentile,
)

RNG = np.random.default_rng(0)
SCORES = np.array([[[0.1, 0.2, 0.6], [0.3, 0.3, 0.3]], [[0.0, 1.0, 0.5], [0.9, 0.7, 0.8]]])


def test_mean_averages_over_resamples_per_round_and_arm():
    np.testing.assert_allclose(Mean()(SCORES, RNG), [[0.3, 0.3], [0.5, 0.8]])


def test_mean_of_one_oracle_is_its_score():
    np.testing.assert_array_equal(Mean()(SCORES[:, :, :1], RNG), SCORES[:, :, 0])


@pytest.mark.parametrize(
    ("percentile", "expected"),
    [
        (0, [[0.1, 0.3], [0.0, 0.7]]),
        (50, [[0.2, 0.3], [0.5, 0.8]]),
        (75, [[0.4, 0.3], [0.75, 0.85]]),  # half way between the second and the third
        (100, [[0.6, 0.3], [1.0, 0.9]]),
    ],
)
def test_upper_percentile_interpolates_between_resamples(percentile, expected):
    np.testing.assert_allclose(UpperPercentile(percentile=percentile)(SCORES, RNG), expected)


def test_random_resample_gives_one_of_the_arms_own_scores():
    drawn = RandomResample()(np.repeat(SCORES, 50, axis=0), np.random.default_rng(0))
    for arm in (0, 1):
        assert set(drawn[:50, arm]) == set(SCORES[0, arm])


@pytest.mark.statistical
def test_random_resamples_are_uniform_and_independent_between_arms():
    scores = np.tile(np.arange(3.0), (4000, 2, 1))  # each arm's score is its resample's number
    drawn = RandomResample()(scores, np.random.default_rng(0)).astype(int)
    assert_shares(3 * drawn[:, 0] + drawn[:, 1], np.full(9, 1 / 9))


def test_no_arms_have_no_indices():
    for index in (Mean(), UpperPercentile(), RandomResample()):
        assert index(np.empty((4, 0, 3)), RNG).shape == (4, 0)


@given(arrays(float, (2, 3, 4), elements=st.floats(0, 1)), st.floats(1, 100))
def test_indices_lie_between_the_lowest_and_the_highest_resample(scores, percentile):
    for index in (Mean(), UpperPercentile(percentile=percentile), RandomResample()):
        value = index(scores, np.random.default_rng(0))
        assert (value >= scores.min(axis=2) - 1e-12).all()
        assert (value <= scores.max(axis=2) + 1e-12).all()


@given(arrays(float, (2, 3, 4), elements=st.floats(0, 1)), st.integers(1, 100), st.integers(1, 100))
def test_a_higher_percentile_never_lowers_an_index(scores, one, other):
    low, high = sorted((one, other))
    lower, higher = (UpperPercentile(percentile=p)(scores, RNG) for p in (low, high))
    assert (higher >= lower - 1e-12).all()


@pytest.mark.parametrize("percentile", [0.8, -1, 100.5, np.nan, "80", None])
def test_bad_percentiles_are_refused(percentile):
    with pytest.raises(ValueError, match="percentile must be"):
        UpperPercentile(percentile=percentile)


# --- posteriors


SPREAD = np.array([[[0.5, expit(1.0)], [0.2, 0.2]]])  # deviations 1 and 0 of the logits


@pytest.mark.parametrize("width", [0.0, 0.5, 2.0])
def test_a_normal_bound_is_so_many_deviations_above_the_mean(width):
    logits = logit(NormalBound(width=width)(SPREAD, None))
    np.testing.assert_allclose(logits, [[width, logit(0.2)]], atol=1e-12)
    linear = NormalBound(width=width, linear=True)(SPREAD, None)
    np.testing.assert_allclose(linear, [[0.5 + width * (expit(1.0) - 0.5), 0.2]])


@pytest.mark.statistical
@pytest.mark.parametrize("width", [0.5, 1.0])
def test_normal_draws_have_the_posteriors_mean_and_deviation(width):
    n = 4000
    draws = NormalDraw(width=width)(np.repeat(SPREAD, n, axis=0), np.random.default_rng(0))
    logits = logit(draws[:, 0])
    assert abs(logits.mean()) < 4 * width / np.sqrt(n)
    assert abs(logits.std() / width - 1) < 4 / np.sqrt(2 * n)
    assert (draws[:, 1] == draws[0, 1]).all()


def test_draws_of_different_arms_and_rounds_are_independent():
    scores = np.repeat(np.repeat(SPREAD[:, :1], 3, axis=0), 3, axis=1)
    assert len(np.unique(NormalDraw()(scores, np.random.default_rng(0)))) == 9


@pytest.mark.parametrize("index", [NormalBound(), NormalDraw()])
@pytest.mark.parametrize("n_resamples", [1, 3])
def test_scores_without_a_posterior_are_refused(index, n_resamples):
    with pytest.raises(ValueError, match=r"posterior.*write LaplaceOracle\(\), RidgeOracle\(\)"):
        index(np.full((2, 2, n_resamples), 0.5), np.random.default_rng(0))


@pytest.mark.parametrize("index", [NormalBound, NormalDraw])
def test_negative_widths_are_refused(index):
    with pytest.raises(ValueError, match=r"at least 0 standard deviations, got -1"):
        index(width=-1)


def test_a_shared_resample_is_the_same_for_all_arms_of_a_round():
    scores = np.tile(np.arange(5.0), (200, 3, 1))
    drawn = SharedResample()(scores, np.random.default_rng(0))
    assert (drawn == drawn[:, :1]).all()
    assert set(drawn[:, 0]) == set(range(5))
