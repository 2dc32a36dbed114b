"""Claims about what arms have seen."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cbkit.history import History, RowStore

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
    assert len(store._buffers["values"]) <= 2 * 1000


@pytest.mark.parametrize("container", CONTAINERS)
def test_each_arm_gets_its_rows_and_rewards_in_order(container):
    history = History(3)
    first, second = container(np.diag([1.0, 2.0, 3.0])), container(np.diag([4.0, 5.0, 6.0]))
    history.add(first, 0, 1, 1)
    history.add(first, 2, 1, 0)
    history.add(first, 1, 0, 1)
    history.add(second, 0, 1, 0)
    X, rewards = history.observations(1)
    np.testing.assert_array_equal(dense(X), [[1, 0, 0], [0, 0, 3], [4, 0, 0]])
    np.testing.assert_array_equal(rewards, [1, 0, 0])
    np.testing.assert_array_equal(history.positives, [1, 1, 0])
    np.testing.assert_array_equal(history.negatives, [0, 2, 0])
    assert history.changed == {0, 1}


def test_a_block_is_stored_once_however_many_of_its_rows_are_added():
    history, X = History(2), np.ones((5, 2))
    for row in range(5):
        history.add(X, row, row % 2, 1)
    assert history._store.n_rows == 5


def test_counting_keeps_no_rows():
    history = History(2)
    history.count(1, 0)
    history.count(1, 1)
    assert (history.positives[1], history.negatives[1]) == (1, 1)
    assert history._store.n_rows == 0 and not history.changed


def test_forgotten_rows_leave_counts_and_room_for_new_ones():
    history, X = History(2), np.array([[1.0], [2.0]])
    history.add(X, 0, 0, 1)
    history.forget_rows()
    history.add(X, 1, 0, 0)
    found, rewards = history.observations(0)
    np.testing.assert_array_equal(found, [[2.0]])
    np.testing.assert_array_equal(rewards, [0])
    assert (history.positives[0], history.negatives[0]) == (1, 1)


def test_dropping_an_arm_moves_later_ones_down_with_their_rows():
    history, X = History(3), np.array([[1.0], [2.0], [3.0]])
    for arm in range(3):
        history.add(X, arm, arm, arm % 2)
    history.drop_arm(1)
    assert history.n_arms == 2 and history.changed == {0, 1}
    np.testing.assert_array_equal(history.observations(1)[0], [[3.0]])
    np.testing.assert_array_equal(history.positives, [0, 0])
    history.add_arm()
    history.add(X, 1, 2, 1)
    np.testing.assert_array_equal(history.observations(2)[0], [[2.0]])


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_pickled_history_goes_on_as_if_never_stopped(container):
    X = container(np.diag([1.0, 2.0]))
    history = History(2)
    history.add(X, 0, 0, 1)
    again = pickle.loads(pickle.dumps(history))
    for each in (history, again):
        each.add(X, 1, 0, 0)
    np.testing.assert_array_equal(
        dense(again.observations(0)[0]), dense(history.observations(0)[0])
    )
