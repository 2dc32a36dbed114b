"""Reward models: closed forms, scikit-learn's ridge, and never a round's own reward."""

import numpy as np
import pytest
from scipy import sparse
from six_rounds import six_rounds
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from cbkit.off_policy import (
    ClassifierRewards,
    LoggedRounds,
    MeanRewards,
    RidgeRewards,
    cross_fitted,
)

RNG = np.random.default_rng(0)


def some_log(n_rounds=300, n_features=4, n_arms=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rounds, n_features))
    arms = rng.integers(n_arms, size=n_rounds)
    chances = 1 / (1 + np.exp(-2 * X[np.arange(n_rounds), arms]))
    return LoggedRounds(
        X=X,
        arms=arms,
        rewards=rng.random(n_rounds) < chances,
        propensities=np.full(n_rounds, 1 / n_arms),
        n_arms=n_arms,
    )


@pytest.mark.parametrize("n_rounds", [300, 9])  # 9: fewer rounds per arm than features
@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_ridge_is_scikit_learns_on_what_the_means_leave(n_rounds, as_matrix):
    log = some_log(n_rounds)
    log = LoggedRounds(
        X=as_matrix(log.X),
        arms=log.arms,
        rewards=log.rewards,
        propensities=log.propensities,
        n_arms=log.n_arms,
    )
    predicted = RidgeRewards(penalty=0.5, shrinkage=2).fit(log, RNG)(log.X)
    overall = log.rewards.mean()
    for arm in range(3):
        rows = log.arms == arm
        mean = (log.rewards[rows].sum() + 2 * overall) / (rows.sum() + 2)
        model = Ridge(alpha=0.5, fit_intercept=False).fit(log.X[rows], log.rewards[rows] - mean)
        expected = np.clip(mean + model.predict(log.X), 0, 1)
        assert predicted[:, arm] == pytest.approx(expected, abs=1e-9)


def test_any_classifier_predicts_its_arm_and_others_predict_means():
    log = some_log()
    rewards = np.where(log.arms == 2, 0, log.rewards)  # arm 2 is never rewarded
    log = LoggedRounds(
        X=log.X, arms=log.arms, rewards=rewards, propensities=log.propensities, n_arms=4
    )
    predicted = ClassifierRewards(classifier=GaussianNB()).fit(log, RNG)(log.X)
    rows = log.arms == 1
    model = GaussianNB().fit(log.X[rows], rewards[rows])
    assert predicted[:, 1] == pytest.approx(model.predict_proba(log.X)[:, 1])
    n_two = (log.arms == 2).sum()
    assert predicted[:, 2] == pytest.approx(20 * rewards.mean() / (n_two + 20))
    assert predicted[:, 3] == pytest.approx(rewards.mean())


@pytest.mark.parametrize("model", [MeanRewards(), RidgeRewards(), ClassifierRewards()])
def test_no_round_is_predicted_from_its_own_reward(model):
    log = some_log(60)
    rng_seed = 3
    before = cross_fitted(log, model, np.random.default_rng(rng_seed))(np.arange(60))
    rewards = log.rewards.copy()
    rewards[7] = 1 - rewards[7]
    other = LoggedRounds(
        X=log.X, arms=log.arms, rewards=rewards, propensities=log.propensities, n_arms=3
    )
    after = cross_fitted(other, model, np.random.default_rng(rng_seed))(np.arange(60))
    assert after[7].tolist() == before[7].tolist()
    assert (after != before).any()


def test_pages_stay_in_one_fold():
    log = some_log(60)
    paged = LoggedRounds(
        X=log.X,
        arms=log.arms,
        rewards=log.rewards,
        propensities=log.propensities,
        n_arms=3,
        pages=np.repeat(np.arange(20), 3),
    )
    predicted = cross_fitted(paged, MeanRewards(), np.random.default_rng(0))(np.arange(60))
    assert all(len(np.unique(page, axis=0)) == 1 for page in predicted.reshape(20, 3, 3))
    assert len(np.unique(predicted, axis=0)) == 3  # folds differ


def test_more_folds_than_rounds_are_refused():
    with pytest.raises(ValueError, match="n_folds must be at most"):
        cross_fitted(six_rounds(), MeanRewards(), RNG, n_folds=7)


@pytest.mark.parametrize("change", [{"penalty": 0}, {"shrinkage": -1}])
def test_constants_have_to_be_positive(change):
    with pytest.raises(ValueError, match="must be greater than 0"):
        RidgeRewards(**change)
