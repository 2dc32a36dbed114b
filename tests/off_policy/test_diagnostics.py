"""Diagnostics: numbers by hand, and words where they matter."""

import re

import numpy as np
import pytest
from scipy.stats import genpareto
from six_rounds import six_evidence

from cbkit.off_policy import IPS, SNIPS, DirectMethod, DoublyRobust, Evidence, SwitchDR, diagnose
from cbkit.off_policy.diagnostics import tail_shape


def test_numbers_of_six_rounds_by_hand():
    found = diagnose(IPS(), six_evidence())
    assert found.n_rounds == 6
    assert found.effective_sample_size == pytest.approx(12.5**2 / (4 * 4 + 0.25 + 16))
    assert found.largest_weight == 4
    assert found.mean_weight == pytest.approx(12.5 / 6)
    assert found.mean_weight_error == pytest.approx(
        (12.5 / 6 - 1) / np.sqrt(np.var([2, 2, 2, 0.5, 4, 2], ddof=1) / 6)
    )
    centred = np.array([2, 0, 2, 0, 4, 0]) - 4 / 3
    assert found.effective_rounds == pytest.approx((centred**2).sum() ** 2 / (centred**4).sum())
    assert found.bias == 0
    assert np.isnan(found.tail_shape)  # six rounds have no tail


def test_bias_is_the_distance_from_the_unbiased_version_in_standard_errors():
    evidence = six_evidence()
    terms = SwitchDR(largest=3).parts(evidence).contributions()
    error = terms.std(ddof=1) / np.sqrt(6)
    # the round of weight 4 counts 4 * 3/4 = 3 in the doubly robust sum
    assert diagnose(SwitchDR(largest=3), evidence).bias == pytest.approx(-3 / 6 / error)
    assert diagnose(SwitchDR(largest=5), evidence).bias == 0


def good(n: int = 1000) -> Evidence:
    rng = np.random.default_rng(0)
    weights = np.where(rng.random(n) < 1 / 3, 2.0, 0.5)
    rewards = (rng.random(n) < 0.4).astype(float)
    return Evidence(
        rewards=rewards, weights=weights, predicted=np.full(n, 0.4), expected=np.full(n, 0.4)
    )


@pytest.mark.parametrize("estimator", [IPS(), SNIPS(), DoublyRobust()])
def test_nothing_is_said_of_a_good_log(estimator):
    assert diagnose(estimator, good()).warnings() == []


def said(estimator, evidence):
    return " ".join(diagnose(estimator, evidence).warnings())


def test_a_log_that_lacks_what_the_target_does_is_told():
    evidence = good()
    lacking = Evidence(rewards=evidence.rewards, weights=evidence.weights * 0.7)
    mean = 0.7 * evidence.weights.mean()
    assert f"don't trust this: the weights' mean is {mean:.3g}, not 1" in said(SNIPS(), lacking)


def test_an_estimate_that_rests_on_few_rounds_is_told():
    evidence = good()
    weights = np.r_[[300.0] * 3, np.full(997, 0.1)]
    heavy = Evidence(rewards=evidence.rewards, weights=weights)
    assert re.search(r"don't trust this: it rests on .* of [1-3]\.\d rounds", said(SNIPS(), heavy))
    never = Evidence(rewards=np.zeros(1000), weights=evidence.weights)
    assert "the equivalent of 0.0 rounds of 1000" in said(IPS(), never)


def test_a_heavy_tail_is_told_where_nothing_else_is():
    """Quantiles of weights without variance, but for the heaviest; their mean is 1."""
    n = 200_000
    weights = (np.arange(n) + 3.0) ** -0.6
    weights = np.random.default_rng(0).permutation(weights / weights.mean())
    heavy = Evidence(rewards=np.tile([0.0, 1.0], n // 2), weights=weights)
    assert diagnose(IPS(), heavy).effective_rounds > 30
    only = diagnose(IPS(), heavy).warnings()
    assert len(only) == 1
    assert "a heavy tail (shape 0.57, above 1/2)" in only[0]
    light = Evidence(rewards=heavy.rewards, weights=weights**0.5 / (weights**0.5).mean())
    assert diagnose(IPS(), light).warnings() == []


def test_a_model_that_is_off_is_told():
    evidence = good()
    off = Evidence(
        rewards=evidence.rewards,
        weights=evidence.weights,
        predicted=np.full(1000, 0.7),
        expected=np.full(1000, 0.7) + np.linspace(-0.1, 0.1, 1000),
    )
    assert "standard errors above its unbiased version" in said(DirectMethod(), off)
    assert said(DoublyRobust(), off) == ""


def test_weights_that_are_all_one_are_no_cause_for_concern():
    evidence = Evidence(rewards=good().rewards, weights=np.ones(1000))
    assert diagnose(IPS(), evidence).warnings() == []


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
    [
        np.ones(1),
        np.ones(1000),
        1 + 1e-15 * np.arange(1000) ** 3 / 1e6,
        np.repeat([0.0, 3.0], [500, 500]),
        np.repeat([1.0, 9.0], [996, 4]),
    ],
    ids=["one round", "all alike", "alike but for rounding", "two values", "four above"],
)
def test_where_fewer_than_five_weights_exceed_the_others_there_is_no_tail(weights):
    assert np.isnan(tail_shape(weights))


def test_equal_weights_above_the_others_give_a_number():
    """Where one step of the fit is the exponential distribution itself."""
    weights = np.repeat([1.0, 2.0], [1012, 100])  # 100 excesses of 1: 40 steps, the third at 0
    assert tail_shape(weights) < 0
