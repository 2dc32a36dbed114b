"""Claims about stacked coefficients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cbkit.oracles.coefficients import StackedCoefficients


def filled(arms, n_features=4, n_resamples=3, seed=0):
    """Coefficients of `arms`, and the same in a dictionary."""
    rng = np.random.default_rng(seed)
    stacked, plain = StackedCoefficients(n_resamples), {}
    for arm in arms:
        plain[arm] = rng.normal(size=(n_features, n_resamples)), rng.normal(size=n_resamples)
        stacked.put(arm, *plain[arm])
    return stacked, plain


def assert_same(stacked, plain, X):
    predicted = stacked.linear_predictor(X)
    assert sorted(stacked.arms) == sorted(plain)
    for position, arm in enumerate(stacked.arms):
        coef, intercept = plain[arm]
        np.testing.assert_allclose(predicted[:, position], X @ coef + intercept, atol=1e-12)
        np.testing.assert_array_equal(stacked.get(arm)[0], coef)


def test_a_product_by_hand():
    stacked = StackedCoefficients(2)
    stacked.put(5, np.array([[1.0, 2.0], [10.0, 20.0]]), np.array([0.5, -0.5]))
    found = stacked.linear_predictor(np.array([[3.0, 0.0], [1.0, 1.0]]))
    np.testing.assert_array_equal(found, [[[3.5, 5.5]], [[11.5, 21.5]]])
    assert 5 in stacked and 0 not in stacked


@pytest.mark.parametrize("n_arms", [0, 1, 5, 63, 64, 65, 130])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_one_product_scores_all_arms_of_any_number(n_arms, container):
    stacked, plain = filled(range(n_arms))
    X = container(np.random.default_rng(1).normal(size=(6, 4)))
    assert stacked.linear_predictor(X).shape == (6, n_arms, 3)
    assert_same(stacked, plain, X)


def test_putting_again_replaces():
    stacked, plain = filled([2, 9])
    plain[2] = np.ones((4, 3)), np.zeros(3)
    stacked.put(2, *plain[2])
    assert_same(stacked, plain, np.eye(4))


@given(
    st.lists(st.integers(0, 90), min_size=1, max_size=80, unique=True),
    st.lists(st.integers(0, 90), max_size=20),
    st.lists(st.integers(0, 90), max_size=10),
)
def test_dropping_and_putting_in_any_order_equals_a_dictionary(arms, dropped, added):
    stacked, plain = filled(arms, n_features=2, n_resamples=1)
    for arm in dropped:
        stacked.drop_arm(arm)
        plain = {other - (other > arm): both for other, both in plain.items() if other != arm}
    for arm in added:
        plain[arm] = np.full((2, 1), arm + 0.5), np.array([1.0])
        stacked.put(arm, *plain[arm])
    assert_same(stacked, plain, np.array([[1.0, -2.0]]))


def test_memory_grows_with_fitted_arms_by_chunks_of_64():
    stacked, _ = filled([3000], n_features=1000)
    assert sum(chunk.nbytes for chunk in stacked._chunks) == 1000 * 64 * 3 * 8
    for arm in range(64):
        stacked.put(arm, np.zeros((1000, 3)), np.zeros(3))
    assert sum(chunk.nbytes for chunk in stacked._chunks) == 2 * 1000 * 64 * 3 * 8
