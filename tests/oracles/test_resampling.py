"""Claims about resample weights."""

import numpy as np
import pytest
from sampling import assert_mean

from cbkit.oracles.resampling import KINDS, Resampling, draw_weights

# Mean and variance of one weight; multinomial weights of n observations have variance 1 - 1/n.
MOMENTS = {
    "multinomial": (1.0, 1 - 1 / 50),
    "poisson": (1.0, 1.0),
    "gamma(1,1)": (1.0, 1.0),
    "gamma(2,2)": (1.0, 0.5),
    "uniform": (0.5, 1 / 12),
}


@pytest.mark.parametrize("kind", KINDS)
def test_weights_have_their_shape_and_are_not_negative(kind):
    for shape in [(7, 3), (1, 3), (0, 3), (7,), (7, 3, 2)]:
        weights = draw_weights(kind, shape, np.random.default_rng(0))
        assert weights.shape == shape and weights.dtype == np.float64 and (weights >= 0).all()


def test_multinomial_weights_are_counts_of_as_many_draws_as_observations():
    weights = draw_weights("multinomial", (9, 40), np.random.default_rng(0))
    np.testing.assert_array_equal(weights.sum(axis=0), 9)
    np.testing.assert_array_equal(weights, np.rint(weights))
    assert len(np.unique(weights, axis=1).T) > 30


def test_one_observation_is_drawn_once_by_the_multinomial():
    np.testing.assert_array_equal(
        draw_weights("multinomial", (1, 5), np.random.default_rng(0)), np.ones((1, 5))
    )


@pytest.mark.statistical
@pytest.mark.parametrize("kind", KINDS)
def test_weights_have_the_moments_of_their_distribution(kind):
    mean, variance = MOMENTS[kind]
    weights = draw_weights(kind, (50, 2000), np.random.default_rng(0))
    if kind == "multinomial":  # sums are fixed, so that single observations tell the mean
        assert_mean(weights[0], mean, variance**0.5)
    else:
        assert_mean(weights.ravel(), mean, variance**0.5)
    squares = (weights[0] - mean) ** 2
    assert_mean(squares, variance, squares.std())


@pytest.mark.statistical
def test_a_resample_leaves_an_observation_out_as_often_as_the_bootstrap_does():
    zero = draw_weights("multinomial", (10, 5000), np.random.default_rng(1))[0] == 0
    share = 0.9**10
    assert_mean(zero, share, (share * (1 - share)) ** 0.5)


@pytest.mark.statistical
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "multinomial"])
def test_weights_are_independent_over_observations_and_resamples(kind):
    weights = draw_weights(kind, (2, 20000), np.random.default_rng(2)) - MOMENTS[kind][0]
    variance = MOMENTS[kind][1]
    assert_mean(weights[0] * weights[1], 0, variance)
    assert_mean(weights[0, 1:] * weights[0, :-1], 0, variance)


def test_kept_weights_stay_and_new_observations_get_theirs():
    resampling = Resampling(kind="gamma(1,1)", n_resamples=3, kept=True)
    rng = np.random.default_rng(0)
    first = resampling.update(None, 4, rng)
    second = resampling.update(first, 6, rng)
    np.testing.assert_array_equal(second[:4], first)
    assert second.shape == (6, 3) and len(np.unique(second)) == 18
    np.testing.assert_array_equal(resampling.update(second, 6, rng), second)


def test_fresh_weights_are_all_drawn_anew():
    resampling = Resampling(kind="gamma(1,1)", n_resamples=3)
    rng = np.random.default_rng(0)
    first = resampling.update(None, 4, rng)
    assert not np.isin(resampling.update(first, 6, rng), first).any()


def test_the_same_seed_gives_the_same_weights():
    for kind in KINDS:
        one, other = (draw_weights(kind, (5, 2), np.random.default_rng(3)) for _ in range(2))
        np.testing.assert_array_equal(one, other)


def test_unknown_kinds_are_refused_with_those_there_are():
    for make in (
        lambda: draw_weights("normal", (2, 2), np.random.default_rng(0)),
        lambda: Resampling(kind="normal"),
    ):
        with pytest.raises(ValueError, match="'normal'; write one of multinomial, poisson"):
            make()


def test_multinomial_weights_cannot_be_kept():
    with pytest.raises(ValueError, match="write kept=False, or gamma"):
        Resampling(kind="multinomial", kept=True)


@pytest.mark.parametrize("n_resamples", [0, -1, 2.5, True])
def test_numbers_of_resamples_are_whole_and_positive(n_resamples):
    with pytest.raises(ValueError, match="n_resamples must be a whole number of at least 1"):
        Resampling(n_resamples=n_resamples)
