"""Claims about Beta draws, by numpy's own and by products of powers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import assert_mean
from scipy import stats

from cbkit.policies.beta_draws import draw_betas

N = 20_000
# By the Dvoretzky-Kiefer-Wolfowitz inequality no more than one in a million samples is farther off.
FARTHEST = np.sqrt(np.log(2 / 1e-6) / (2 * N))


def test_a_draw_with_a_of_1_and_of_2_by_hand():
    a, b = np.array([2.0, 1.0]), np.array([4.0, 5.0])
    draws = draw_betas(a, b, 20, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    np.testing.assert_allclose(draws[:, 1], 1 - np.exp(-rng.standard_exponential(20) / 5))
    first, second = rng.standard_exponential((2, 20))
    np.testing.assert_allclose(draws[:, 0], 1 - np.exp(-first / 4 - second / 5))


@pytest.mark.parametrize("a, n_rounds", [(7.0, 20), (2.5, 20), (3.0, 1), (3.0, 15)])
def test_other_parameters_and_few_rounds_are_left_to_numpy(a, n_rounds):
    draws = draw_betas(np.full(3, a), np.full(3, 4.0), n_rounds, np.random.default_rng(7))
    expected = np.random.default_rng(7).beta(a, 4.0, size=(n_rounds, 3))
    np.testing.assert_array_equal(draws, expected)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "a, b", [(1, 7), (3, 7), (3, 120.5), (4, 0.2), (6, 3), (7, 3), (2.5, 4), (5 / 159, 4)]
)
def test_draws_follow_their_distribution(a, b):
    draws = draw_betas(np.array([a]), np.array([b]), N, np.random.default_rng(1))[:, 0]
    assert stats.kstest(draws, stats.beta(a, b).cdf).statistic < FARTHEST


@pytest.mark.statistical
def test_each_arm_gets_its_own_parameters_whichever_way_it_is_drawn():
    a = np.array([3.0, 40.0, 1.0, 0.5, 3.0, 6.0, 2.5, 4.0])
    b = np.array([7.0, 60.0, 9.0, 0.5, 90.0, 1.0, 7.5, 0.1])
    draws = draw_betas(a, b, N, np.random.default_rng(2))
    for arm in range(8):
        assert_mean(draws[:, arm], a[arm] / (a[arm] + b[arm]), stats.beta(a[arm], b[arm]).std())


@pytest.mark.statistical
def test_rounds_and_arms_are_independent():
    a, b = np.array([3.0, 3.0, 4.0, 2.5]), np.array([7.0, 7.0, 20.0, 3.0])
    draws = draw_betas(a, b, N, np.random.default_rng(3))
    together = np.hstack([draws[:-1], draws[1:]])  # a round and the next
    correlations = np.corrcoef(together, rowvar=False)[np.triu_indices(8, k=1)]
    assert np.abs(correlations).max() < 4 / np.sqrt(N)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.integers(1, 9).map(float), st.floats(1e-3, 1e6)), st.floats(1e-3, 1e6)
        ),
        max_size=6,
    ),
    st.integers(0, 20),
)
def test_draws_are_probabilities_whatever_the_parameters(parameters, n_rounds):
    a, b = np.array(parameters).reshape(-1, 2).T
    draws = draw_betas(a, b, n_rounds, np.random.default_rng(0))
    assert draws.shape == (n_rounds, len(parameters))
    assert ((draws >= 0) & (draws <= 1)).all()
