"""Claims about what arms have seen."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from cbkit.policies.history import History

CONTAINERS = (np.asarray, sparse.csr_array)


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


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
    assert history.n_rows == 5


def test_counting_keeps_no_rows():
    history = History(2)
    history.count(1, 0)
    history.count(1, 1)
    assert (history.positives[1], history.negatives[1]) == (1, 1)
    assert history.n_rows == 0 and not history.changed


@pytest.mark.parametrize("container", CONTAINERS)
def test_forgotten_rows_leave_counts_and_room_for_new_ones(container):
    history, X = History(2), container(np.array([[1.0], [2.0]]))
    history.add(X, 0, 0, 1)
    history.observations(0)
    history.forget_rows()
    history.add(X, 1, 0, 0)
    found, rewards = history.observations(0)
    np.testing.assert_array_equal(dense(found), [[2.0]])
    np.testing.assert_array_equal(rewards, [0])
    assert (history.positives[0], history.negatives[0]) == (1, 1)


@pytest.mark.parametrize("container", CONTAINERS)
def test_dropping_an_arm_moves_later_ones_down_with_their_rows(container):
    history, X = History(3), container(np.array([[1.0], [2.0], [3.0]]))
    for arm in range(3):
        history.add(X, arm, arm, arm % 2)
        history.observations(arm)
    history.drop_arm(1)
    assert history.n_arms == 2 and history.changed == {0, 1}
    np.testing.assert_array_equal(dense(history.observations(0)[0]), [[1.0]])
    np.testing.assert_array_equal(dense(history.observations(1)[0]), [[3.0]])
    np.testing.assert_array_equal(history.positives, [0, 0])
    history.add_arm()
    history.add(X, 1, 2, 1)
    np.testing.assert_array_equal(dense(history.observations(2)[0]), [[2.0]])


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_pickled_history_goes_on_as_if_never_stopped(container):
    X = container(np.diag([1.0, 2.0, 3.0]))
    history = History(2)
    history.add(X, 0, 0, 1)
    history.add(X, 1, 1, 1)
    before = len(pickle.dumps(history))
    history.observations(0), history.observations(1)
    stored = pickle.dumps(history)
    assert len(stored) <= before  # copies for refits are not saved
    again = pickle.loads(stored)
    for each in (history, again):
        each.add(X, 2, 0, 0)
    for arm, rows in ((0, [[1, 0, 0], [0, 0, 3]]), (1, [[0, 2, 0]])):
        for each in (history, again):
            np.testing.assert_array_equal(dense(each.observations(arm)[0]), rows)
    assert copied(again) == copied(history)


def copied(history):
    """Count the rows copied per arm, which `History` has to know."""
    counts = [store.n_rows if store else 0 for store in history._arm_stores]
    assert sum(counts) == history._n_copied <= history.n_rows
    return counts


def observe(history, X, rounds):
    for row in rounds:
        history.add(X, row, row % history.n_arms, row % 3 == 0)


def test_arms_refit_from_few_new_rows_have_all_of_them():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.random((260, 8)) * (rng.random((260, 8)) < 0.3))
    history = History(2)
    for first, n_rounds in pairwise((0, 3, 4, 30, 200, 260)):  # 3 to 4 is of one arm
        observe(history, X, range(first, n_rounds))
        for arm in (0, 1, 0):
            found, rewards = history.observations(arm)
            np.testing.assert_array_equal(dense(found), dense(X)[arm:n_rounds:2])
            np.testing.assert_array_equal(rewards, np.arange(n_rounds)[arm::2] % 3 == 0)
            assert found.has_canonical_format and found.indices.dtype == np.int32
    assert copied(history) == [130, 130]


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_classifier_that_spoils_its_contexts_spoils_no_history(container):
    history = History(2)
    observe(history, container(np.eye(200)), range(200))
    for _ in range(2):
        X, rewards = history.observations(0)
        np.testing.assert_array_equal(dense(X), np.eye(200)[::2])
        np.testing.assert_array_equal(rewards, np.arange(0, 200, 2) % 3 == 0)
        X *= 7
        if sparse.issparse(X):
            X.indices[:] = 0
            X.indptr[1:] = 0
        rewards[:] = 7


def test_rows_copied_per_arm_never_outnumber_those_that_came():
    history, X = History(5), sparse.csr_array(np.eye(10))
    for row in range(10):
        for arm in range(5):  # as with exclusive rewards
            history.add(X, row, arm, int(arm == 0))
        for arm in range(5):
            found, _ = history.observations(arm)
            np.testing.assert_array_equal(dense(found), np.eye(10)[: row + 1])
            copied(history)
    assert sorted(copied(history)) == [0, 0, 0, 0, 10]  # one arm's, those of the others did not fit
    history.drop_arm(copied(history).index(10))
    assert copied(history) == [0, 0, 0, 0]
    history.observations(1)
    assert copied(history) == [0, 10, 0, 0]
    history.forget_rows()
    assert copied(history) == [0, 0, 0, 0]
