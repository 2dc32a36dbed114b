"""A policy that was pickled, or copied, goes on as if nothing had happened."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse

from cbkit import (
    EpsilonGreedy,
    Greedy,
    MABFirst,
    MultilabelDataset,
    Policy,
    make_policy,
    policy_names,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 4))
LABELS = (X @ rng.normal(size=(4, 3)) > 0).astype(int)
DATA = MultilabelDataset.from_arrays(X, LABELS)
QUICK = MABFirst(a=1, b=1, m=1)


def live(policy, rng, blocks, matrix=X):
    """Select and update block by block; return all arms chosen."""
    chosen = []
    for block in blocks:
        rows = slice(20 * block, 20 * block + 20)
        arms = policy.select(matrix[rows], rng)
        policy.update(matrix[rows], arms, LABELS[rows][np.arange(20), arms], rng)
        chosen.extend(arms.tolist())
    return chosen


def overrides(name, **more):
    return {"cold_start": QUICK, **more} if name not in ("RandomArm", "BestArmInHindsight") else {}


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", policy_names())
def test_saving_loading_and_continuing_equals_never_having_stopped(name, kind):
    straight, stopped = (make_policy(name, DATA, **overrides(name)) for _ in range(2))
    matrix = kind(X)
    draws = np.random.default_rng(5)
    expected = live(straight, draws, range(8), matrix)
    draws = np.random.default_rng(5)
    arms = live(stopped, draws, range(4), matrix)
    loaded, draws = pickle.loads(pickle.dumps((stopped, draws)))
    assert arms + live(loaded, draws, range(4, 8), matrix) == expected
    np.testing.assert_array_equal(loaded.score(matrix[:3]), straight.score(matrix[:3]))


@pytest.mark.parametrize("oracle", ["streaming-logistic", "naive Bayes"])
def test_other_oracles_continue_after_loading_too(oracle):
    from sklearn.naive_bayes import GaussianNB

    oracle = GaussianNB() if oracle == "naive Bayes" else oracle
    straight, stopped = (EpsilonGreedy(3, oracle=oracle, cold_start=QUICK) for _ in range(2))
    expected = live(straight, np.random.default_rng(5), range(6))
    draws = np.random.default_rng(5)
    arms = live(stopped, draws, range(3))
    assert arms + live(pickle.loads(pickle.dumps(stopped)), draws, range(3, 6)) == expected


def test_stopping_between_choices_and_refit_loses_nothing():
    policies = [Greedy(3, cold_start=QUICK) for _ in range(2)]
    for policy in policies:
        policy.record(X, 0, 1, 1)
    policies[1] = pickle.loads(pickle.dumps(policies[1]))
    for policy in policies:
        policy.record(X, 1, 1, 0)
        policy.refit(np.random.default_rng(0))
    np.testing.assert_array_equal(*(policy.score(X[:5]) for policy in policies))


def test_schedules_are_saved_with_the_policy():
    policy = EpsilonGreedy(3, explore_probability=0.5, decay=0.9)
    policy.select(X[:10], np.random.default_rng(0))
    loaded = pickle.loads(pickle.dumps(policy))
    assert loaded.chooser.probability_ == pytest.approx(0.5 * 0.9**10)


def test_a_copy_learns_by_itself():
    policy = Greedy(3, cold_start=QUICK)
    live(policy, np.random.default_rng(0), range(3))
    before = policy.score(X[:5])
    twin = copy.deepcopy(policy)
    live(twin, np.random.default_rng(0), range(3, 6))
    np.testing.assert_array_equal(policy.score(X[:5]), before)
    assert policy.history_.positives.sum() < twin.history_.positives.sum()


def test_policies_of_ones_own_parts_pickle():
    policy = Policy(n_arms=3, oracle=None, cold_start=QUICK)
    live(policy, np.random.default_rng(0), range(2))
    loaded = pickle.loads(pickle.dumps(policy))
    assert live(loaded, np.random.default_rng(1), range(2, 4)) == live(
        policy, np.random.default_rng(1), range(2, 4)
    )
