"""Claims about contexts transformed online: by rows seen so far alone, and never by others."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from cbkit import (
    BootstrappedUCB,
    ContextTransform,
    Greedy,
    MABFirst,
    MultilabelDataset,
    RandomArm,
    SmoothedGreedy,
    simulate,
)
from cbkit.simulate import row_order

N_ROWS, N_ARMS = 260, 3


def planted(container=np.asarray, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.poisson(1.0, size=(N_ROWS, 8)).astype(float)
    rewards = features[:, :N_ARMS] > 1
    return MultilabelDataset.from_arrays(container(features), rewards.astype(int), name="planted")


DATA, SPARSE = planted(), planted(sparse.csr_array)
TRANSFORMERS = {
    "scaling": (DATA, StandardScaler()),
    "tf-idf": (SPARSE, TfidfTransformer()),
    "truncated SVD": (SPARSE, TruncatedSVD(3)),
    "pipeline": (SPARSE, make_pipeline(TfidfTransformer(), TruncatedSVD(3))),
    "union": (SPARSE, make_union(TfidfTransformer(), TruncatedSVD(3))),
}
every_transformer = pytest.mark.parametrize(
    ("data", "transformer"), TRANSFORMERS.values(), ids=TRANSFORMERS
)


def make(transformer, first=50, make_policy=SmoothedGreedy, **keywords):
    transform = ContextTransform(transformer=transformer, first=first)
    return replace(make_policy(N_ARMS, **keywords), context_transform=transform)


def play(data, transformer, seed=0, **keywords):
    return simulate(make(transformer, **keywords), data, seed=seed, refit_every=20).rounds


def counting(seen):
    """Return a transformer that tells how many rows it was fitted to."""

    class Counting(StandardScaler):
        def fit(self, X, y=None):
            seen.append(np.array(X))
            return super().fit(X)

    return Counting()


@every_transformer
def test_any_transformer_lets_a_policy_learn_and_repeats_by_its_seed(data, transformer):
    rounds = play(data, transformer)
    pd.testing.assert_frame_equal(play(data, transformer), rounds)
    assert not rounds["cold_start"].to_numpy()[-20:].all()
    plain = simulate(SmoothedGreedy(N_ARMS), data, seed=0, refit_every=20).rounds
    assert (rounds["arm"] != plain["arm"]).any()


def test_it_is_fitted_to_all_rows_so_far_when_their_number_has_doubled():
    seen = []
    play(DATA, counting(seen), first=50)
    assert [len(rows) for rows in seen] == [60, 120, 240]  # refits come every 20 rounds
    order = row_order(N_ROWS, 0)
    for rows in seen:
        np.testing.assert_array_equal(rows, DATA.features[order[: len(rows)]])


def test_an_arms_model_is_that_of_its_transformed_rows():
    policy = make(StandardScaler())
    simulate(policy, DATA, seed=0, refit_every=20)
    seen = DATA.features[row_order(N_ROWS, 0)[:240]]
    scaler = StandardScaler().fit(seen)
    X, rewards = policy.history_.observations(0)
    model = LogisticRegression().fit(scaler.transform(X), rewards)
    expected = model.predict_proba(scaler.transform(DATA.features))[:, 1]
    np.testing.assert_allclose(policy.score(DATA.features)[:, 0, 0], expected, atol=2e-2)


@every_transformer
@pytest.mark.parametrize("played", [60, 130, 200])
def test_rows_to_come_never_change_what_was_played(data, transformer, played):
    rounds = play(data, transformer)
    features, order = data.features.copy(), row_order(N_ROWS, 0)
    later = order[played:]
    if sparse.issparse(features):
        features = features.tolil()
        features[later] = 7.0
        features = sparse.csr_array(features)
    else:
        features[later] = 7.0
    labels = data.labels.toarray()
    labels[later] = 1 - labels[later]
    other = MultilabelDataset.from_arrays(features, labels, name="planted")
    pd.testing.assert_frame_equal(play(other, transformer)[:played], rounds[:played])


@every_transformer
def test_rewards_of_arms_not_chosen_change_nothing(data, transformer):
    rounds = play(data, transformer)
    labels = data.labels.toarray()
    tampered = 1 - labels
    tampered[rounds["row"], rounds["arm"]] = labels[rounds["row"], rounds["arm"]]
    other = MultilabelDataset.from_arrays(data.features, tampered, name="planted")
    pd.testing.assert_frame_equal(play(other, transformer), rounds)


def test_the_users_transformer_is_left_as_it_is_and_the_policy_pickles():
    scaler = StandardScaler()
    policy = make(scaler)
    simulate(policy, DATA, seed=0, n_rounds=100, refit_every=20)
    assert not hasattr(scaler, "mean_")
    loaded = pickle.loads(pickle.dumps(policy))
    np.testing.assert_array_equal(loaded.score(DATA.features), policy.score(DATA.features))


def test_a_loaded_policy_goes_on_as_the_one_that_was_saved():
    policy = make(StandardScaler(), first=20)
    policies = [policy]
    for start in range(0, 100, 20):
        if start == 60:
            policies.append(pickle.loads(pickle.dumps(policy)))
        X = DATA.features[start : start + 20]
        arms = np.arange(20) % N_ARMS
        rewards = DATA.labels.toarray()[np.arange(start, start + 20), arms]
        for one in policies:
            one.update(X, arms, rewards, np.random.default_rng(start))
    one, other = (p.score(DATA.features) for p in policies)
    np.testing.assert_allclose(one, other, atol=1e-3)


def test_live_use_transforms_as_the_simulation_does():
    policy, rng = make(StandardScaler(), first=20), np.random.default_rng(0)
    for start in range(0, 100, 20):
        X = DATA.features[start : start + 20]
        arms = policy.select(X, rng)
        policy.update(X, arms, DATA.labels.toarray()[np.arange(start, start + 20), arms], rng)
    assert policy.context_transform.n_rows_ == 80
    assert policy.n_fitted_arms > 0


@pytest.mark.parametrize("kept", [False, True])
def test_resamples_learn_anew_with_it(kept):
    keywords = {"weights": "poisson", "kept": kept, "n_resamples": 3}
    rounds = play(
        DATA,
        StandardScaler(),
        make_policy=BootstrappedUCB,
        cold_start=MABFirst(a=1, b=1),
        **keywords,
    )
    assert not rounds["cold_start"].to_numpy()[-20:].all()


def test_until_enough_rows_have_come_no_oracle_learns():
    policy = make(StandardScaler(), first=200)
    simulate(policy, DATA, seed=0, n_rounds=180, refit_every=20)
    assert policy.n_fitted_arms == 0
    one, other = (play(DATA, StandardScaler(), first=first)["arm"] for first in (20, 200))
    assert (one != other).any()


@pytest.mark.parametrize(
    ("transformer", "message"),
    [
        (StandardScaler, r"write StandardScaler\(\.\.\.\)"),
        (LogisticRegression(), "with transform, got LogisticRegression"),
        (np.log1p, "with fit, got <ufunc 'log1p'>"),
    ],
)
def test_what_transforms_nothing_is_refused(transformer, message):
    with pytest.raises(ValueError, match=message):
        ContextTransform(transformer=transformer)


def test_transformers_that_lose_rows_or_numbers_are_refused():
    halves = FunctionTransformer(lambda X: X[::2], validate=False)
    with pytest.raises(ValueError, match="made 30 rows of 60"):
        play(DATA, halves)
    nothing = FunctionTransformer(lambda X: X * np.nan, validate=False)
    with pytest.raises(ValueError, match="contexts"):
        play(DATA, nothing)


@pytest.mark.parametrize("policy", [RandomArm(3), Greedy(3, oracle="streaming-laplace")])
def test_policies_without_histories_cannot_have_one(policy):
    with pytest.raises(ValueError, match="needs an oracle that learns anew from whole histories"):
        replace(policy, context_transform=ContextTransform(transformer=StandardScaler()))
