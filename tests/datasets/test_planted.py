import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from cbkit import make_policy, simulate
from cbkit.datasets import load_dataset, paper_table
from cbkit.datasets.planted import FrequencyProfile, PlantedSpec, plant
from cbkit.datasets.presets import PLANTED, PLANTED_NAMES, planted_row

SMALL = PlantedSpec(
    n_rows=400,
    n_features=40,
    profile=FrequencyProfile(n_arms=12, labels_per_row=1.5, largest=0.4, exponent=1.0),
    features_per_row=6.0,
    n_topics=8,
)
LIKE = [name for name in PLANTED_NAMES if name != "demo"]
QUICK = [name for name in LIKE if name != "eurlex-like"]
EURLEX = pytest.param("eurlex-like", marks=pytest.mark.slow)


def held_out_auc(data, arm):
    """Area under the ROC curve of a logistic regression fitted to half of the rows."""
    rows = np.random.default_rng(0).permutation(data.n_rows)[:6000]
    train, test = np.array_split(rows, 2)
    y = data.labels[:, [arm]].toarray().ravel()
    model = LogisticRegression(max_iter=200).fit(data.features[train], y[train])
    return roc_auc_score(y[test], model.predict_proba(data.features[test])[:, 1])


@given(
    n_arms=st.integers(3, 60),
    largest=st.floats(0.05, 0.9),
    evenness=st.floats(0.1, 0.9),
    exponent=st.floats(0.5, 2.0),
)
@settings(max_examples=60, deadline=None)
def test_a_profile_falls_from_its_largest_and_adds_up(n_arms, largest, evenness, exponent):
    per_row = largest * (1 + evenness * (n_arms - 1))
    profile = FrequencyProfile(
        n_arms=n_arms, labels_per_row=per_row, largest=largest, exponent=exponent
    )
    counts = profile.counts(10_000)
    assert counts[0] == round(largest * 10_000)
    assert (np.diff(counts) <= 0).all() and counts[-1] >= 1
    assert abs(counts.sum() - per_row * 10_000) <= n_arms / 2 + 1


def test_a_profile_that_cannot_add_up_is_refused():
    profile = FrequencyProfile(n_arms=3, labels_per_row=2.0, largest=0.5, exponent=1.0)
    with pytest.raises(ValueError, match=r"labels_per_row must be from 0\.\d+ to 1\.5 .* got 2"):
        profile.counts(100)


def test_the_seed_decides_the_data():
    first, same, other = (
        plant(SMALL, seed=seed, name="s", provenance="p").checksum for seed in (0, 0, 1)
    )
    assert first == same != other


def test_labels_occur_exactly_as_the_profile_says():
    data = plant(SMALL, seed=3, name="s", provenance="p")
    assert np.array_equal(np.sort(data.arm_counts)[::-1], SMALL.profile.counts(SMALL.n_rows))
    assert data.best_arm == data.arm_counts.argmax()
    assert data.features.nnz / data.n_rows == pytest.approx(6, rel=0.1)


@pytest.mark.parametrize("name", LIKE)
def test_the_row_of_a_stand_in_is_that_of_the_paper_within_five_percent(name):
    printed = paper_table().loc[name.replace("-like", "")]
    row = planted_row(name)
    for column in ("observations", "features", "labels"):
        assert row[column] == printed[column]
    for column in ("labels_per_observation", "observations_per_label", "most_common_label_pct"):
        assert row[column] == pytest.approx(printed[column], rel=0.05)


@pytest.mark.parametrize("name", ["demo", *QUICK, EURLEX])
def test_the_data_are_what_their_row_says(name):
    data = load_dataset(name)
    assert data.name == name
    assert data.describe().to_dict() == pytest.approx(planted_row(name))
    assert load_dataset(name).checksum == data.checksum


@pytest.mark.parametrize(
    ("name", "per_row"), [("bibtex-like", 68.7), ("delicious-like", 18.3), ("demo", 12)]
)
def test_tag_features_are_ones_as_many_as_in_the_published_set(name, per_row):
    features = load_dataset(name).features
    assert sparse.issparse(features) and (features.data == 1).all()
    assert features.nnz / features.shape[0] == pytest.approx(per_row, rel=0.05)


@pytest.mark.slow
def test_eurlex_features_are_unit_rows_of_weights():
    features = load_dataset("eurlex-like").features
    assert features.data.min() > 0
    assert features.nnz / features.shape[0] == pytest.approx(236, rel=0.05)
    norms = np.sqrt(features.multiply(features).sum(axis=1))
    assert norms == pytest.approx(np.ones(features.shape[0]), abs=1e-4)


def test_mediamill_features_are_dense_from_0_to_1():
    features = load_dataset("mediamill-like").features
    assert isinstance(features, np.ndarray)
    assert 0 < features.min() < features.max() < 1


@pytest.mark.parametrize("name", ["demo", *QUICK, EURLEX])
def test_contexts_tell_who_has_a_label(name):
    data = load_dataset(name)
    common = np.argsort(-data.arm_counts)
    least = 0.7 if name == "delicious-like" else 0.8
    for arm in common[[0, 2, 6]]:
        assert held_out_auc(data, arm) > least


def test_the_demo_is_a_cold_start_problem_that_can_be_learned():
    data = load_dataset("demo")
    assert data.n_arms == 60 and PLANTED["demo"].n_rows == 3000
    assert np.median(data.arm_counts) < 0.025 * data.n_rows
    log = simulate(make_policy("EpsilonGreedy", data), data, seed=0)
    rewards = log.rounds["reward"].to_numpy()
    best_fixed = data.arm_counts.max() / data.n_rows
    assert rewards[:500].mean() < best_fixed
    assert rewards[-500:].mean() > 2 * best_fixed
