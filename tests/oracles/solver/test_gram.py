"""Claims about Gram matrices that grow from refit to refit."""

import numpy as np
import pytest
from scipy import sparse

from cbkit.oracles.solver import gram
from cbkit.oracles.solver.gram import GramMatrices


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 100))


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_a_grown_matrix_is_the_full_one(X, as_matrix):
    grams = GramMatrices()
    for n in (3, 4, 17, 17, 30):  # within the buffer, past it, without new rows
        np.testing.assert_allclose(grams.grow(0, as_matrix(X[:n])), X[:n] @ X[:n].T, atol=1e-12)


def test_known_rows_are_not_computed_again(X):
    grams = GramMatrices()
    grams.grow(0, X[:10])
    spoilt = np.vstack([np.full_like(X[:10], np.nan), X[10:12]])
    assert np.isfinite(grams.grow(0, spoilt)[:10, :10]).all()


def test_arms_do_not_touch_each_other_and_follow_a_dropped_one(X):
    grams = GramMatrices()
    for arm in (2, 5, 7):
        grams.grow(arm, X[arm : arm + 3])
    grams.drop_arm(5)
    for arm, first in ((2, 2), (6, 7)):
        rows = X[first : first + 4]
        np.testing.assert_allclose(grams.grow(arm, rows), rows @ rows.T, atol=1e-12)


def test_memory_of_all_arms_together_is_bounded(X, monkeypatch):
    monkeypatch.setattr(gram, "_MAX_BYTES", 8 * (15**2 + 9**2))
    grams = GramMatrices()
    assert grams.grow(0, X[:10]) is not None  # 10 and half as many: 15
    assert grams.grow(1, X[:6]) is not None
    assert grams.grow(2, X[:2]) is None
    assert grams.grow(1, X[:10]) is None  # which frees what it held
    assert grams.grow(2, X[:6]) is not None
    grams.drop(0)
    grams.drop(0)
    np.testing.assert_allclose(grams.grow(1, X[:10]), X[:10] @ X[:10].T, atol=1e-12)
