"""Claims about matrices that grow by rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cbkit.policies import row_store
from cbkit.policies.row_store import RowStore

CONTAINERS = (np.asarray, sparse.csr_array)


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("container", CONTAINERS)
@given(st.lists(st.integers(0, 40), max_size=12), st.integers(0, 1000))
def test_rows_come_back_as_they_went_in(container, sizes, seed):
    rng = np.random.default_rng(seed)
    blocks = [rng.poisson(0.5, (size, 5)).astype(float) for size in [3, *sizes]]
    store, firsts = RowStore(), []
    for block in blocks:
        firsts.append(store.append(container(block)))
    whole = np.concatenate(blocks)
    assert firsts == np.cumsum([0, *(len(block) for block in blocks[:-1])]).tolist()
    rows = rng.integers(len(whole), size=20)
    np.testing.assert_array_equal(dense(store.take(rows)), whole[rows])
    assert sparse.issparse(store.take(rows)) == (container is sparse.csr_array)


def test_sparse_rows_have_32_bit_indices_whatever_came():
    X = sparse.csr_array(np.eye(3))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    store = RowStore()
    store.append(X)
    taken = store.take([2, 0])
    assert taken.indices.dtype == taken.indptr.dtype == np.int32


def test_what_lies_behind_the_last_row_of_a_sparse_block_is_not_stored():
    X = sparse.csr_array(np.arange(1.0, 5.0).reshape(2, 2))
    X.indptr[-1] = 3  # as after a change of shared arrays elsewhere
    store = RowStore()
    store.append(X)
    store.append(X)
    assert store.take([0, 1, 2, 3]).toarray().tolist() == 2 * [[1, 2], [3, 0]]


def test_the_store_keeps_a_copy():
    X = np.ones((2, 2))
    store = RowStore()
    store.append(X)
    X[:] = 7
    np.testing.assert_array_equal(store.take([0, 1]), np.ones((2, 2)))


@pytest.mark.parametrize("other", [np.ones((1, 3)), sparse.csr_array(np.ones((1, 2)))])
def test_blocks_of_another_width_or_kind_are_refused(other):
    store = RowStore()
    store.append(np.ones((1, 2)))
    with pytest.raises(ValueError, match="contexts so far were dense with 2 features; got a block"):
        store.append(other)


def test_buffers_at_most_double():
    store = RowStore()
    for _ in range(1000):
        store.append(np.ones((1, 10)))
    assert len(store._values._buffer) <= 2 * 1000


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=12), st.integers(0, 1000))
def test_sparse_rows_of_another_store_come_back_as_well(steps, seed):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.5, (30, 5)).astype(float)
    other, store = RowStore(), RowStore()
    other.append(sparse.csr_array(X))
    expected = np.empty((0, 5))
    for from_other, size in [(True, 1), *steps]:
        if from_other:
            rows = rng.integers(30, size=size).tolist()
            store.append_from(other, rows)
            expected = np.concatenate([expected, X[rows]])
        else:
            block = rng.poisson(0.5, (size, 5)).astype(float)
            store.append(sparse.csr_array(block))
            expected = np.concatenate([expected, block])
        np.testing.assert_array_equal(store.to_csr().toarray(), expected)
        some = rng.integers(len(expected), size=3)
        np.testing.assert_array_equal(store.take(some).toarray(), expected[some])
    assert store.n_rows == len(expected)


def test_more_entries_than_32_bits_can_count_are_refused(monkeypatch):
    monkeypatch.setattr(row_store, "_MOST_ENTRIES", 5)
    store, other = RowStore(), RowStore()
    other.append(sparse.csr_array(np.eye(3)))
    store.append(sparse.csr_array(np.eye(3)))
    for append in (
        lambda: store.append(sparse.csr_array(np.eye(3))),
        lambda: store.append_from(other, [0, 1, 2]),
    ):
        with pytest.raises(OverflowError, match="at most 2"):
            append()
