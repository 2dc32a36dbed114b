"""Claims about how far to go along a Newton step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit

from cbkit.oracles.solver.line_search import best_step_size, step_sizes


def test_a_step_is_halved_until_loss_and_penalty_together_fall():
    # One reward at logit 0, to be moved by 8. The loss, log(1 + exp(-8 t)) - log 2, falls all the
    # way; a penalty of 2 t**2 makes the change 1.31 at t = 1 and -0.175 at t = 1/2.
    def size(penalty):
        one = np.ones((1, 1))
        flat, square, largest = np.zeros(1), np.full(1, penalty), np.full(1, 8.0)
        return step_sizes(0 * one, 8 * one, largest, one, one, np.ones(1), (flat, square))[0]

    assert size(0.0) == 1.0
    assert size(2.0) == 0.5


def test_a_step_without_a_level_place_in_reach_is_halved():
    # As above, but no slope is level where rounding has made the decrement negative.
    one = np.ones(1)
    assert best_step_size(0 * one, 8 * one, one, one, -1e-30, (0.0, 2.0)) == 0.5


def best(*, logit=0.0, move=8.0, penalty=0.0):
    """The best size of a step from one reward at `logit`, to be moved by `move`."""
    one, slope = np.ones(1), move * (1 - expit(logit))
    return best_step_size(logit * one, move * one, one, one, slope, (0.0, penalty))


@pytest.mark.parametrize("penalty", [2.0, 0.02, 1e-4])
def test_the_best_step_ends_where_the_slope_is_a_tenth(penalty):
    def slope(size):
        return 2 * penalty * size - 8 * expit(-8 * size)

    size = best(penalty=penalty)
    assert abs(slope(size)) <= 0.1 * 4
    assert brentq(lambda size: slope(size) + 0.4, 0, 100) <= size
    if slope(1e3) > 0.4:
        assert size <= brentq(lambda size: slope(size) - 0.4, 0, 1e3)


def test_the_best_step_is_looked_for_far_beyond_the_full_one():
    # from a logit of -80 a move by 8 t reaches the other side at t = 10, where Newton's method
    # would leap on: tried are 1, 4 and 16
    assert best(logit=-80.0) == 16.0


def change(size, logits, move, rewards, weights, penalty):
    now = logits + size * move
    loss = np.logaddexp(0, now) - np.logaddexp(0, logits) - rewards * size * move
    return weights @ loss + penalty[0] * size + penalty[1] * size**2


def test_a_level_place_past_the_lowest_is_no_place_to_go():
    # at the full step the slope is a tenth of the first, but the objective has risen by .036
    step = np.array([-50.0]), np.array([1000.0]), np.zeros(1), np.array([0.00109])
    assert change(1.0, *step, (-1.0, 0.0)) == pytest.approx(0.0355, abs=1e-3)
    size = best_step_size(*step, 1.0, (-1.0, 0.0))
    assert size > 0
    assert change(size, *step, (-1.0, 0.0)) < 0


@given(st.integers(0, 10_000), st.floats(0.5, 200.0), st.sampled_from([1e-4, 1.0, 1e4]))
def test_the_best_step_of_a_newton_direction_lowers_the_objective(seed, scale, weight):
    rng = np.random.default_rng(seed)
    logits, move = rng.normal(size=(2, 9)) * scale
    rewards, weights = (rng.random(9) < 0.5).astype(float), weight * rng.exponential(size=9)
    # The objective falls by the decrement at first, as along a Newton step, whose decrement is
    # the curvature along it.
    bend = rng.exponential()
    decrement = (move * move) @ (weights * expit(logits) * expit(-logits)) + 2 * bend
    penalty = -decrement - weights @ ((expit(logits) - rewards) * move), bend
    size = best_step_size(logits, move, rewards, weights, decrement, penalty)
    assert size > 0
    assert change(size, logits, move, rewards, weights, penalty) < 0
