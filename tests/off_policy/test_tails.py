"""The tail of weights: known shapes, maximum likelihood, and where there is none."""

import numpy as np
import pytest
from scipy.stats import genpareto

from cbkit.off_policy.tails import tail_shape


@pytest.mark.parametrize("shape", [0.25, 0.5, 1.0])
def test_quantiles_of_a_pareto_distribution_have_its_shape(shape):
    chances = (np.arange(20_000) + 0.5) / 20_000
    assert tail_shape(chances**-shape) == pytest.approx(shape, abs=0.01)


@pytest.mark.statistical
@pytest.mark.parametrize("shape", [0.2, 0.5, 0.8])
def test_shapes_of_many_draws_scatter_around_the_true_one(shape):
    rng = np.random.default_rng(0)
    found = [tail_shape(rng.pareto(1 / shape, size=4000)) for _ in range(200)]
    # the estimate is known to be off by 1 / n_tail or so: 189 weights are the tail
    assert abs(np.mean(found) - shape) <= 4 * np.std(found) / np.sqrt(200) + 1 / 189


@pytest.mark.parametrize("seed", range(4))
def test_it_is_near_the_most_likely_shape_and_much_nearer_than_its_own_scatter(seed):
    weights = np.sort(np.random.default_rng(seed).pareto(2.5, size=10_000))
    likely = genpareto.fit(weights[-300:] - weights[-301], floc=0)[0]
    scatter = (1 + likely) / np.sqrt(300)
    assert tail_shape(weights) == pytest.approx(likely, abs=scatter / 3)


def test_neither_order_nor_unit_counts():
    weights = np.random.default_rng(0).pareto(2, size=1000)
    assert tail_shape(7 * weights[::-1]) == pytest.approx(tail_shape(weights), abs=1e-9)


def test_weights_that_end_at_a_bound_have_a_negative_shape():
    assert tail_shape(np.random.default_rng(0).random(2000)) == pytest.approx(-1, abs=0.3)


@pytest.mark.parametrize(
    "weights",
    [np.ones(1), np.ones(1000), np.repeat([0.0, 3.0], [500, 500]), np.repeat([1.0, 9.0], [996, 4])],
    ids=["one round", "all alike", "two values", "four above"],
)
def test_where_fewer_than_five_weights_exceed_the_others_there_is_no_tail(weights):
    assert np.isnan(tail_shape(weights))


def test_equal_weights_above_the_others_give_a_number():
    """Where one step of the fit is the exponential distribution itself."""
    weights = np.repeat([1.0, 2.0], [1012, 100])  # 100 excesses of 1: 40 steps, the third at 0
    assert tail_shape(weights) < 0
