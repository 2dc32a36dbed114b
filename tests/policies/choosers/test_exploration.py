"""Active learning's criteria: gradient norms and orders by hand, their closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit

from cbkit.policies.choosers import EpsilonMix
from cbkit.policies.choosers.exploration import (
    ActiveExplore,
    Context,
    RandomExplore,
    logistic_gradient_norms,
)

CONTEXT = Context(np.array([[9.0, 9.0], [2.0, 2.0]]), 1)  # norm([2, 2, 1]) = 3
VALUES = np.array([0.1, 0.4, 0.8])


def fixed_norms(context, values):
    """Give norms that differ between arms: g0, then g1."""
    return np.array([[1.0, 5.0, 2.0], [4.0, 1.0, 3.0]])


# --- contexts


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_context_gives_its_row_and_the_norm_with_the_intercept(make):
    context = Context(make([[9.0, 9.0, 9.0], [2.0, 0.0, 2.0]]), 1)
    assert context.vector().tolist() == [2.0, 0.0, 2.0]
    assert context.norm() == 3.0


def test_empty_sparse_row_has_the_intercept_alone():
    assert Context(sparse.csr_array((1, 4)), 0).norm() == 1.0


# --- gradient norms


def test_logistic_gradient_norms_are_the_residuals_times_the_norm_of_the_context():
    np.testing.assert_allclose(
        logistic_gradient_norms(CONTEXT, VALUES), [[0.3, 1.2, 2.4], [2.7, 1.8, 0.6]]
    )


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=5), st.floats(-2, 2), st.sampled_from([0, 1])
)
def test_logistic_gradient_norms_equal_numerical_derivatives_of_the_log_loss(x, intercept, reward):
    x = np.array([*x, 1.0])
    coef = np.linspace(-0.5, 0.5, len(x) - 1)
    point = np.array([*coef, intercept])

    def loss(at):
        return -np.log(expit((2 * reward - 1) * (at @ x)))

    step = 1e-6
    gradient = [
        (loss(point + step * e) - loss(point - step * e)) / (2 * step) for e in np.eye(len(x))
    ]
    norms = logistic_gradient_norms(Context(x[None, :-1], 0), expit(np.array([point @ x])))
    assert norms[reward, 0] == pytest.approx(np.linalg.norm(gradient), abs=1e-6)


# --- criteria


def test_weighted_criterion_expects_the_norm_under_the_predicted_reward():
    # (1-p) g0 + p g1, norms not squared: .9*.3 + .1*2.7, .6*1.2 + .4*1.8, .2*2.4 + .8*.6
    np.testing.assert_allclose(ActiveExplore().usefulness(VALUES, CONTEXT), [0.54, 1.44, 0.96])


def test_weighted_criterion_weighs_each_norm_by_the_probability_of_its_own_reward():
    # .9*1 + .1*4, .6*5 + .4*1, .2*2 + .8*3
    explore = ActiveExplore(gradient_norms=fixed_norms)
    np.testing.assert_allclose(explore.usefulness(VALUES, CONTEXT), [1.3, 3.4, 2.8])
    assert explore.candidates(VALUES, CONTEXT).tolist() == [1]


@pytest.mark.parametrize(
    ("criterion", "usefulness", "arm"),
    [("min", [1.0, 1.0, 2.0], 2), ("max", [4.0, 5.0, 3.0], 1)],
)
def test_min_and_max_take_the_smaller_and_the_larger_norm(criterion, usefulness, arm):
    explore = ActiveExplore(criterion=criterion, gradient_norms=fixed_norms)
    assert explore.usefulness(VALUES, CONTEXT).tolist() == usefulness
    assert explore.candidates(VALUES, CONTEXT).tolist() == [arm]


def test_equally_useful_arms_are_all_candidates():
    explore = ActiveExplore(criterion="min")
    assert explore.candidates(np.array([0.5, 0.0, 0.5]), CONTEXT).tolist() == [0, 2]


def test_random_exploration_has_all_arms_as_candidates():
    assert list(RandomExplore().candidates(VALUES, CONTEXT)) == [0, 1, 2]


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=8, unique_by=lambda v: abs(v - 500)),
    st.lists(st.floats(-5, 5), min_size=1, max_size=4),
)
def test_weighted_and_min_order_logistic_arms_alike_and_max_the_other_way(thousandths, x):
    values = np.array(thousandths) / 1000
    context = Context(np.array([x]), 0)

    def order(criterion):
        return np.argsort(ActiveExplore(criterion=criterion).usefulness(values, context)).tolist()

    by_closeness_to_half = np.argsort(-np.abs(values - 0.5)).tolist()
    assert order("weighted") == order("min") == by_closeness_to_half
    assert order("max") == by_closeness_to_half[::-1]


# --- in a chooser


def test_active_explorer_explores_the_most_useful_arm_and_exploits_the_best():
    chooser = EpsilonMix(explore_probability=0.25, explore=ActiveExplore())
    rng = np.random.default_rng(0)
    choices = {chooser.choose(VALUES, CONTEXT, rng) for _ in range(100)}
    assert choices == {(1, True, 0.25, False), (2, False, 0.75, False)}


def test_arm_that_is_best_and_most_useful_has_propensity_1():
    chooser = EpsilonMix(explore_probability=0.25, explore=ActiveExplore())
    choice = chooser.choose(np.array([0.1, 0.5]), CONTEXT, np.random.default_rng(0))
    assert (choice.arm, choice.propensity) == (1, 1.0)


@pytest.mark.parametrize("criterion", ["mean", "", None, 1])
def test_unknown_criterion_is_refused_with_those_known(criterion):
    with pytest.raises(ValueError, match="criterion must be weighted, min or max; got"):
        ActiveExplore(criterion=criterion)
