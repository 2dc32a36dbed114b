"""A policy that workers can import, which fails where linear algebra has more than one thread."""

from threadpoolctl import threadpool_info

from cbkit import make_policy


def one_thread_policy(dataset):
    assert all(pool["num_threads"] == 1 for pool in threadpool_info())
    return make_policy("RandomArm", dataset)
