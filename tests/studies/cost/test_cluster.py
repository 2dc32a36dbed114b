"""The simulated queue of a cluster."""

import numpy as np
import pytest

from cbkit.studies.cost.cluster import cluster_table, work_off


def test_a_queue_worked_by_hand():
    # Two workers are there at 10; one task is handed out per second.
    # Task 0 starts at 11 and ends at 14, task 1 starts at 12 and ends at 17; worker 0 is free at
    # 14, task 2 starts at 15 and ends at 16; task 3 starts at 17 and ends at 19.
    queue = work_off([3, 5, 1, 2], 2, start_up=10, overhead=1)
    assert queue.ends.tolist() == [14, 17, 16, 19]
    assert queue.busy == 11 / (2 * 19)


def test_the_longest_first_worked_by_hand():
    # Tasks of 5 and 3 start at once; that of 2 follows at 3, that of 1 at 5, on either worker.
    assert work_off([3, 5, 1, 2], 2, order="longest").ends.tolist() == [3, 5, 6, 5]


def test_one_worker_works_through_the_sum():
    assert work_off([3, 5, 1, 2], 1).ends.tolist() == [3, 8, 9, 11]


def test_a_scheduler_that_is_slower_than_the_workers_sets_the_pace():
    ends = work_off(np.full(100, 0.5), 1000, overhead=1.0).ends
    assert ends.tolist() == [task + 1.5 for task in range(100)]


@pytest.mark.parametrize("order", ["arrival", "longest"])
def test_no_queue_beats_its_bound_or_takes_twice_as_long(order):
    seconds = np.random.default_rng(0).exponential(size=300)
    for n_workers in (1, 7, 40, 500):
        last = work_off(seconds, n_workers, order=order).ends.max()
        bound = max(seconds.sum() / n_workers, seconds.max())
        assert bound * (1 - 1e-12) <= last < 2 * bound


def test_a_table_has_a_row_per_size_and_order():
    table = cluster_table([60.0, 60.0, 120.0], [1, 2, 4], start_up=0, overhead=0)
    assert table["workers"].tolist() == [1, 1, 2, 2, 4, 4]
    assert table["minutes"].tolist() == [4, 4, 3, 2, 2, 2]
    assert table["speedup"].tolist() == [1, 1, 4 / 3, 2, 2, 2]
    assert table["bound_minutes"].tolist() == [4, 4, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (([], 2), "one or more"),
        (([1.0, np.nan], 2), "finite time"),
        (([-1.0], 2), "at least 0"),
        (([1.0], 0), "n_workers"),
    ],
)
def test_what_is_no_queue_is_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        work_off(*arguments)


@pytest.mark.parametrize(
    ("options", "match"),
    [({"order": "shortest"}, "order must be"), ({"overhead": -1}, "overhead must be")],
)
def test_what_is_no_cluster_is_refused(options, match):
    with pytest.raises(ValueError, match=match):
        work_off([1.0], 1, **options)
