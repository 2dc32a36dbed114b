"""Intervals: formulas written again, coverage on known distributions, and what is refused."""

import numpy as np
import pytest
from scipy.stats import norm
from six_rounds import six_evidence

from cbkit.off_policy import (
    IPS,
    SNIPS,
    BernsteinInterval,
    BootstrapInterval,
    DirectMethod,
    DoublyRobust,
    Evidence,
    NormalInterval,
)
from cbkit.off_policy import intervals as module


def test_normal_bounds_by_hand():
    """Contributions w r: 2, 0, 2, 0, 4, 0; mean 4/3, variance (24 - 6 * 16/9) / 5."""
    half = 1.959964 * np.sqrt((24 - 6 * 16 / 9) / 5 / 6)
    found = NormalInterval().bounds(IPS(), six_evidence())
    assert found == pytest.approx((4 / 3 - half, 4 / 3 + half), abs=1e-6)


def test_the_ratio_has_the_delta_methods_standard_error():
    e = six_evidence()
    n, value = 6, 8 / 12.5
    variance = ((e.weights * (e.rewards - value)) ** 2).sum() / (n - 1) / n / (12.5 / 6) ** 2
    low, high = NormalInterval(confidence=0.9).bounds(SNIPS(), e)
    assert high - low == pytest.approx(2 * norm.ppf(0.95) * np.sqrt(variance), abs=1e-12)


def clustered(rng: np.random.Generator, n_pages: int = 150, size: int = 4) -> Evidence:
    """Rounds of a page earn alike; the mean reward is 0.3."""
    of_page = rng.random(n_pages) < 0.3
    return Evidence(
        rewards=np.repeat(of_page, size).astype(float),
        weights=np.ones(n_pages * size),
        pages=np.repeat(np.arange(n_pages), size),
    )


@pytest.mark.parametrize("kind", ["normal", "bootstrap"])
def test_pages_of_equal_rounds_count_as_one_each(kind):
    whole = clustered(np.random.default_rng(1))
    single = Evidence(rewards=whole.rewards[::4], weights=whole.weights[::4])

    def bounds(evidence):
        if kind == "normal":
            return NormalInterval().bounds(IPS(), evidence)
        return BootstrapInterval(rng=np.random.default_rng(0)).bounds(IPS(), evidence)

    assert bounds(whole) == pytest.approx(bounds(single), abs=1e-12)


def coverage(interval_of, evidence_of, estimator, truth, n_logs=1000):
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(n_logs):
        low, high = interval_of(rng).bounds(estimator, evidence_of(rng))
        covered += low <= truth <= high
    return covered / n_logs


def weighted(rng: np.random.Generator) -> Evidence:
    """Weights 2 and 0.5 with mean 1; the value is 0.5."""
    heavy = rng.random(400) < 1 / 3
    rewards = (rng.random(400) < np.where(heavy, 0.7, 0.1)).astype(float)
    return Evidence(rewards=rewards, weights=np.where(heavy, 2.0, 0.5))


@pytest.mark.statistical
@pytest.mark.parametrize("estimator", [IPS(), SNIPS()], ids=["IPS", "SNIPS"])
def test_normal_intervals_cover_as_often_as_they_say(estimator):
    # 2/3 * 0.7 + 1/3 * 0.1 = 0.5; 1000 logs have a standard error of 0.7 points
    found = coverage(lambda rng: NormalInterval(), weighted, estimator, 0.5)
    assert abs(found - 0.95) <= 4 * np.sqrt(0.95 * 0.05 / 1000)


@pytest.mark.statistical
def test_bootstrap_intervals_cover_about_as_often_as_they_say():
    def interval(rng):
        return BootstrapInterval(rng=rng, n_resamples=150)

    for evidence, estimator, truth in ((weighted, SNIPS(), 0.5), (clustered, IPS(), 0.3)):
        found = coverage(interval, evidence, estimator, truth, n_logs=250)
        assert abs(found - 0.95) <= 4 * np.sqrt(0.95 * 0.05 / 250)


@pytest.mark.statistical
def test_bernstein_bounds_cover_where_normal_ones_do_not():
    """A reward in a thousand: most logs of 200 rounds have none at all."""

    def rare(rng):
        return Evidence(rewards=(rng.random(200) < 0.001).astype(float), weights=np.ones(200))

    assert coverage(lambda rng: NormalInterval(), rare, IPS(), 0.001) < 0.5
    assert coverage(lambda rng: BernsteinInterval(largest_weight=1), rare, IPS(), 0.001) == 1.0


def test_bernstein_bounds_are_the_formula():
    terms = np.array([2.0, 0, 2, 0, 4, 0])
    log = np.log(4 / 0.05)
    half = np.sqrt(2 * terms.var(ddof=1) * log / 6) + 7 * 5 * log / (3 * 5)
    found = BernsteinInterval(largest_weight=5).bounds(IPS(), six_evidence())
    assert found == pytest.approx((4 / 3 - half, 4 / 3 + half), abs=1e-12)
    low, high = BernsteinInterval(largest_weight=5).bounds(DirectMethod(), six_evidence())
    dm = np.array([0.5, 0.375, 0.5, 0.4375, 0.25, 0.55])
    half = np.sqrt(2 * dm.var(ddof=1) * log / 6) + 7 * 1 * log / (3 * 5)
    assert (high - low) / 2 == pytest.approx(half, abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "q", "v", "r"), [(5.0, 1.0, 0.0, 0.0), (5.0, 0.0, 1.0, 1.0), (0.0, 0.0, 0.0, 1.0)]
)
def test_doubly_robust_terms_stay_within_the_spread_that_bernstein_assumes(weights, q, v, r):
    constant, multiple = DoublyRobust.spread
    term = v + weights * (r - q)
    assert -5.0 <= term <= 6.0
    assert 6.0 - -5.0 <= constant + multiple * 5.0


def test_ratios_and_false_bounds_are_refused():
    with pytest.raises(ValueError, match="SNIPS is a ratio"):
        BernsteinInterval(largest_weight=5).bounds(SNIPS(), six_evidence())
    with pytest.raises(ValueError, match="got 3, but row 4 has 4"):
        BernsteinInterval(largest_weight=3).bounds(IPS(), six_evidence())
    with pytest.raises(ValueError, match=r"did you mean 0\.95"):
        NormalInterval(confidence=95)
    one = Evidence(rewards=np.ones(1), weights=np.ones(1))
    with pytest.raises(ValueError, match="at least 2 rounds"):
        BernsteinInterval(largest_weight=1).bounds(IPS(), one)


@pytest.mark.statistical
def test_many_rounds_are_resampled_in_groups_to_the_same_effect(monkeypatch):
    rng = np.random.default_rng(0)
    evidence = Evidence(rewards=(rng.random(4000) < 0.2).astype(float), weights=np.ones(4000))

    def width():
        interval = BootstrapInterval(rng=np.random.default_rng(1), n_resamples=4000)
        low, high = interval.bounds(SNIPS(), evidence)
        return high - low

    one_by_one = width()
    monkeypatch.setattr(module, "_MAX_GROUPS", 400)
    # 400 groups know the spread to 1 / sqrt(800), 4000 resamples a percentile to about 2%
    assert width() == pytest.approx(one_by_one, rel=4 * np.hypot(1 / np.sqrt(800), 0.03))
