"""Claims about trees as their own resamples."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import beta
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from cbkit import BootstrappedTS, BootstrappedUCB, Greedy
from cbkit.oracles.forests import ForestOracle, TreeLeafOracle

CONTAINERS = (np.asarray, sparse.csr_array)


def observations(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 1)
    return X, (rng.random(n) < np.where(X[:, 0] > 0, 0.8, 0.2)).astype(float)


# Forests


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_scores_are_the_trees_and_their_mean_the_forest(container, kind):
    X, rewards = observations()
    oracle = ForestOracle(forest=kind(7, random_state=3, min_samples_leaf=3))
    oracle.learn(2, container(X), rewards, np.random.default_rng(0))
    scores = oracle.score(container(X))
    assert scores.shape == (60, 1, 7) and oracle.n_resamples == 7
    forest = kind(7, random_state=3, min_samples_leaf=3).fit(X, rewards)
    np.testing.assert_allclose(scores[:, 0].mean(axis=1), forest.predict_proba(X)[:, 1])
    assert (scores.std(axis=2) > 0).mean() > 0.5


@pytest.mark.parametrize("reward, share", [(0.0, 1 / 6), (1.0, 5 / 6)])
def test_a_forest_of_one_label_predicts_its_smoothed_share_until_it_sees_both(reward, share):
    X, rewards = observations()
    oracle = ForestOracle(forest=RandomForestClassifier(3))
    oracle.learn(0, X[:4], np.full(4, reward), np.random.default_rng(0))
    np.testing.assert_allclose(oracle.score(X), np.full((60, 1, 3), share))
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    assert oracle.score(X).std() > 0.1


@pytest.mark.parametrize("policy", [BootstrappedUCB, BootstrappedTS])
def test_a_policy_takes_trees_for_its_resamples(policy):
    oracle = ForestOracle(forest=RandomForestClassifier(7))
    oracle.learn(0, *observations(), np.random.default_rng(0))
    used = policy(3, oracle=oracle, n_resamples=20).oracle
    assert used.n_resamples == 7 and len(used.fitted_arms) == 0 and len(oracle.fitted_arms) == 1


def test_number_of_trees_and_their_parameters_have_an_effect():
    X, rewards = observations()
    scores = {}
    for depth in (1, None):
        oracle = ForestOracle(forest=RandomForestClassifier(5, max_depth=depth))
        oracle.learn(0, X, rewards, np.random.default_rng(0))
        scores[depth] = oracle.score(X)
    assert np.abs(scores[1] - scores[None]).max() > 0.1
    assert ForestOracle().n_resamples == 10


# Leaves


def leaves(percentile=80):
    """Leaves of 2 rewards of 3 (left of 0.5) and of 1 reward of 5."""
    X = np.r_[np.zeros(3), np.ones(5)][:, None]
    rewards = np.array([1.0, 1, 0, 0, 0, 0, 0, 1])
    oracle = TreeLeafOracle(tree=DecisionTreeClassifier(max_depth=1), percentile=percentile)
    oracle.learn(4, X, rewards, np.random.default_rng(0))
    return oracle


@pytest.mark.parametrize("percentile", [5, 50, 80, 95])
@pytest.mark.parametrize("container", CONTAINERS)
def test_bounds_are_percentiles_of_the_leaf_posterior(percentile, container):
    scores = leaves(percentile).score(container(np.array([[0.0], [1.0]])))
    assert scores.shape == (2, 1, 1)
    np.testing.assert_allclose(
        scores[:, 0, 0], [beta.ppf(percentile / 100, 3, 2), beta.ppf(percentile / 100, 2, 5)]
    )


def test_a_leaf_without_rewards_by_hand():
    # Beta(1, 1 + n) has distribution function 1 - (1 - q)^(n + 1)
    X, rewards = np.array([[0.0], [0.0], [0.0], [1.0]]), np.array([0.0, 0, 0, 1])
    oracle = TreeLeafOracle(tree=DecisionTreeClassifier(), percentile=80)
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    np.testing.assert_allclose(
        oracle.score(X[[0, 3]])[:, 0, 0], [1 - 0.2 ** (1 / 4), 0.8 ** (1 / 2)]
    )


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_one_label_is_bounded_by_its_only_leaf(reward):
    oracle = TreeLeafOracle()
    oracle.learn(0, np.zeros((6, 2)), np.full(6, reward), np.random.default_rng(0))
    expected = beta.ppf(0.8, 1 + 6 * reward, 7 - 6 * reward)
    np.testing.assert_allclose(oracle.score(np.ones((2, 2))), expected)


def test_leaves_need_a_percentile_and_no_resamples():
    with pytest.raises(ValueError, match="did you mean 80"):
        TreeLeafOracle(percentile=0.8)
    with pytest.raises(ValueError, match="use it with Greedy, or ForestOracle"):
        BootstrappedUCB(3, oracle=TreeLeafOracle())
    used = Greedy(3, oracle=leaves(90)).oracle
    assert used.percentile == 90 and used.tree.max_depth == 1 and not len(used.fitted_arms)


# Both

both = pytest.mark.parametrize("make", [ForestOracle, TreeLeafOracle])


@both
def test_the_same_seed_gives_the_same_scores(make):
    X, rewards = observations()
    scores = []
    for seed in (0, 0, 1):
        oracle = make()
        if make is TreeLeafOracle:
            oracle = make(tree=DecisionTreeClassifier(splitter="random"))
        oracle.learn(0, X, rewards, np.random.default_rng(seed))
        scores.append(oracle.score(X))
    np.testing.assert_array_equal(scores[0], scores[1])
    assert (scores[0] != scores[2]).any()


@both
def test_dropping_an_arm_keeps_the_others(make):
    X, rewards = observations()
    oracle = make()
    for arm in (3, 0, 5):
        oracle.learn(arm, X[arm:], rewards[arm:], np.random.default_rng(arm))
    before = oracle.score(X)
    oracle.drop_arm(3)
    oracle.drop_arm(2)
    assert oracle.fitted_arms.tolist() == [0, 3]
    np.testing.assert_array_equal(oracle.score(X), before[:, 1:])


@both
def test_the_given_estimator_is_not_touched_and_pickling_keeps_scores(make):
    X, rewards = observations()
    oracle = make()
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    given = oracle.forest if make is ForestOracle else oracle.tree
    assert not hasattr(given, "classes_") and given.random_state is None
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(oracle)).score(X), oracle.score(X))


def test_a_forest_bounds_by_the_mean_counts_of_its_leaves():
    X, rewards = observations()
    forest = RandomForestClassifier(5, max_depth=2, random_state=3)
    oracle = TreeLeafOracle(tree=forest, percentile=70)
    oracle.learn(0, X, rewards, np.random.default_rng(0))
    leaves = RandomForestClassifier(5, max_depth=2, random_state=3).fit(X, rewards).apply(X)
    same = leaves[:, None, :] == leaves[None, :, :]  # (row, other row, tree)
    positives = (same * rewards[None, :, None]).sum(axis=1).mean(axis=1)
    total = same.sum(axis=1).mean(axis=1)
    expected = beta.ppf(0.7, 1 + positives, 1 + total - positives)
    np.testing.assert_allclose(oracle.score(X)[:, 0, 0], expected)
