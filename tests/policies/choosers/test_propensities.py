"""Exact probabilities of the highest number: closed forms, quadrature by scipy, and draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import assert_shares
from scipy import integrate, stats

from cbkit.policies.choosers.propensities import ArmValues


def by_scipy(arm, values, above=-1.0):
    """The integral of f_i times the other arms' F_j, by scipy, for draws and single points."""
    point = max([above, 0.0, *values.lists[:, 0]])
    others = [i for i in range(len(values.a)) if i != arm]

    def integrand(v):
        beyond = [stats.beta.cdf(v, values.a[i], values.b[i]) for i in others]
        return stats.beta.pdf(v, values.a[arm], values.b[arm]) * np.prod(beyond)

    return integrate.quad(integrand, point, 1, limit=200, epsabs=1e-11)[0]


def test_equal_arms_share_equally():
    for n_arms in (2, 3, 159, 983):
        drawn = ArmValues.of(a=np.full(n_arms, 5 / n_arms), b=np.full(n_arms, 4.0))
        assert drawn.best() == pytest.approx(np.full(n_arms, 1 / n_arms), rel=1e-9)
        points = ArmValues.of(lists=np.full((n_arms, 1), 0.25))
        assert points.best() == pytest.approx(np.full(n_arms, 1 / n_arms))


def test_one_draw_against_another_has_its_closed_form():
    # P(Beta(1, n) > Beta(1, m)) = m / (n + m)
    values = ArmValues.of(a=np.ones(2), b=np.array([3.0, 9.0]))
    assert values.best() == pytest.approx([9 / 12, 3 / 12], abs=1e-12)


def test_a_draw_against_a_point_is_its_survival_function():
    values = ArmValues.of(lists=np.array([[0.3], [0.1]]), a=np.array([3.0]), b=np.array([7.0]))
    over = stats.beta.sf(0.3, 3, 7)
    assert values.best() == pytest.approx([1 - over, 0, over], abs=1e-12)


def test_what_draws_have_beyond_the_last_number_below_one_is_not_lost():
    values = ArmValues.of(lists=np.array([[np.nextafter(1, 0)]]), a=np.ones(1), b=np.array([0.1]))
    assert values.best().sum() == pytest.approx(1, abs=1e-12)


def test_resamples_against_resamples_are_counted():
    lists = np.array([[0.1, 0.5, 0.9], [0.2, 0.5, 0.5], [0.0, 0.0, 0.6]])
    expected = np.zeros(3)
    for drawn in np.stack(np.meshgrid(*lists, indexing="ij"), axis=-1).reshape(-1, 3):
        winners = drawn == drawn.max()
        expected += winners / winners.sum() / 27
    assert ArmValues.of(lists=lists).best() == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("above", [-1.0, 0.05, 0.4])
def test_draws_and_points_agree_with_scipy(above):
    values = ArmValues.of(
        lists=np.array([[0.12], [0.05]]),
        a=np.array([3.0, 3.0, 1.5, 0.5, 20.0]),
        b=np.array([7.0, 11.0, 30.0, 4.0, 60.0]),
    )
    shares = values.best(above)
    assert shares[2:] == pytest.approx([by_scipy(i, values, above) for i in range(5)], abs=1e-9)
    highest = max(above, 0.12)
    stays_below = np.prod(stats.beta.cdf(highest, values.a, values.b))
    assert shares[0] == pytest.approx(stays_below if above < 0.12 else 0, abs=1e-12)
    assert shares[1] == 0
    reached = stays_below if above >= 0.12 else 0
    assert shares.sum() == pytest.approx(1 - reached, abs=1e-11)


@given(
    parameters=st.lists(
        st.tuples(st.floats(0.005, 400), st.floats(0.3, 4000)), min_size=1, max_size=8
    ),
    lists=st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), max_size=4),
)
def test_the_shares_are_probabilities_and_sum_to_one(parameters, lists):
    a, b = np.array(parameters).T
    values = ArmValues.of(lists=np.array(lists).reshape(-1, 3), a=a, b=b)
    shares = values.best()
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("scheme", ["prior 5/k", "rewarded", "resamples"])
def test_the_shares_are_those_of_draws(scheme):
    rng = np.random.default_rng(5)
    n_draws = 200_000
    if scheme == "prior 5/k":
        a, b, lists = np.full(20, 5 / 20), 4.0 + rng.integers(0, 12, 20), np.full((1, 1), 0.15)
    elif scheme == "rewarded":
        a, b, lists = 3.0 + rng.integers(0, 2, 12), 7.0 + rng.integers(0, 40, 12), np.ones((0, 1))
    else:
        a, b = np.array([1.0, 2.0]), np.array([5.0, 9.0])
        lists = rng.choice([0.1, 0.15, 0.2, 0.3, 0.45], size=(4, 10))
    values = ArmValues.of(lists=lists, a=a, b=b)
    drawn = np.hstack(
        [
            np.stack([rng.choice(entries, n_draws) for entries in lists], axis=1)
            if len(lists)
            else np.empty((n_draws, 0)),
            rng.beta(a, b, size=(n_draws, len(a))),
        ]
    )
    tied = drawn == drawn.max(axis=1, keepdims=True)
    winners = (tied * rng.random(drawn.shape)).argmax(axis=1)  # ties at random
    assert_shares(winners, values.best())
