"""Claims about the fast oracle in policies: what scikit-learn's regression plays, it plays."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from cbkit import BootstrappedUCB, Greedy, MABFirst, load_dataset, simulate


@pytest.mark.parametrize("name", ["demo", "digits"])
def test_the_fast_oracle_and_scikit_learn_play_the_same_rounds(name):
    # random_state=0, as seeding scikit-learn's from the generator would move its later draws
    dataset = load_dataset(name)
    exact = LogisticRegression(tol=1e-8, max_iter=2000, random_state=0)
    fast, slow = (
        simulate(
            Greedy(dataset.n_arms, oracle=oracle, cold_start=MABFirst(a=0.1, b=4, m=2)),
            dataset,
            seed=0,
            n_rounds=400,
        )
        for oracle in ("logistic", exact)
    )
    assert 0.1 < fast.rounds["cold_start"].mean() < 0.95
    assert (fast.rounds["arm"] == slow.rounds["arm"]).mean() > 0.98
    assert fast.mean_reward == pytest.approx(slow.mean_reward, abs=0.01)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_by_name_or_as_a_classifier_the_same_resamples_are_fitted():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.7, (60, 6)).astype(float)
    rewards = (rng.random(60) < 0.4).astype(float)
    arms = np.arange(60) % 2
    scores = []
    for oracle in ("logistic", LogisticRegression(tol=1e-8, max_iter=1000, random_state=0)):
        policy = BootstrappedUCB(2, oracle=oracle, weights="gamma(1,1)", kept=True)
        rng = np.random.default_rng(0)
        policy.update(X, arms, rewards, rng)
        scores.append(policy.score(X))
    np.testing.assert_allclose(*scores, atol=1e-3)
