import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from cbkit.datasets import (
    DatasetAbsentError,
    MultilabelDataset,
    dataset_names,
    dataset_table,
    load_dataset,
    paper_table,
    where_is,
)
from cbkit.datasets.multilabel import MultilabelDataset as SameClass

X = np.array([[0.5, 0.0], [0.0, -1.0], [2.0, 3.0]])
LABELS = np.array([[1, 0, 1], [0, 0, 1], [0, 0, 0]])


def make(features=X, labels=LABELS, **options):
    return MultilabelDataset.from_arrays(features, labels, **options)


def test_what_goes_in_comes_out():
    data = make(arm_names=["a", "b", "c"], name="mine", provenance="here")
    assert MultilabelDataset is SameClass
    assert (data.n_rows, data.n_features, data.n_arms, data.best_arm) == (3, 2, 3, 2)
    assert (data.name, data.provenance, data.arm_names) == ("mine", "here", ("a", "b", "c"))
    assert data.features.dtype == np.float64 and np.array_equal(data.features, X)
    assert data.labels.dtype == np.int8 and np.array_equal(data.labels.toarray(), LABELS)
    assert isinstance(data.labels, sparse.csr_array) and data.labels.nnz == 3


@pytest.mark.parametrize(
    "convert",
    [
        lambda a: a.tolist(),
        lambda a: a.astype(np.float32),
        lambda a: np.asfortranarray(a),
        lambda a: a.astype(object),
        sparse.csr_matrix,
        sparse.csc_array,
        sparse.coo_array,
        sparse.lil_matrix,
        sparse.bsr_array,
        pd.DataFrame,
        lambda a: pd.DataFrame(a).astype(pd.SparseDtype("float64", 0.0)),
        lambda a: pd.DataFrame(a).astype("Float64"),
    ],
)
def test_arrays_sparse_matrices_and_frames_give_the_same_content(convert):
    data = make(convert(X), convert(LABELS))
    assert data.checksum == make().checksum


def test_sparse_features_stay_sparse_and_dense_ones_dense():
    assert isinstance(make(sparse.coo_array(X)).features, sparse.csr_array)
    frame = pd.DataFrame(X).astype(pd.SparseDtype("float64", 0.0))
    assert isinstance(make(frame).features, sparse.csr_array)
    assert isinstance(make(pd.DataFrame(X)).features, np.ndarray)


def test_the_checksum_sees_content_and_not_layout():
    stored = sparse.csr_array(X)
    unsorted = sparse.csr_array(
        (np.array([0.5, -1.0, 3.0, 2.0, 0.0]), [0, 1, 1, 0, 0], [0, 1, 2, 5]), shape=(3, 2)
    )
    wide = sparse.csr_array(
        (stored.data, stored.indices.astype(np.int64), stored.indptr.astype(np.int64)), shape=(3, 2)
    )
    base = make().checksum
    assert all(make(features).checksum == base for features in (stored, unsorted, wide, X + 0.0))
    assert make(name="other", provenance="other").checksum == base
    changed = [make(X + 1e-15), make(labels=LABELS[:, ::-1]), make(arm_names=["x", "y", "z"])]
    changed.append(make(np.hstack([X, np.zeros((3, 1))])))
    assert len({base, *(data.checksum for data in changed)}) == 5


def test_the_checksum_is_the_same_in_another_process():
    code = "from cbkit import load_dataset; print(load_dataset('digits').checksum)"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == load_dataset("digits").checksum


def test_a_dataset_does_not_share_memory_and_pickles():
    features, labels = X.copy(), sparse.csr_array(LABELS)
    data = make(features, labels)
    features[:] = 0
    labels.data[:] = 0
    assert data.checksum == make().checksum == pickle.loads(pickle.dumps(data)).checksum


def with_value(value, dtype=float):
    changed = X.astype(dtype)
    changed[1, 1] = value
    return changed


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        (with_value(np.nan), LABELS, "features must be finite, got nan in row 1, column 1"),
        (with_value(-np.inf), LABELS, "features must be finite, got -inf in row 1, column 1"),
        (sparse.csr_array(with_value(np.inf)), LABELS, "got inf in row 1, column 1"),
        (with_value("b", object), LABELS, "got 'b'; turn text into numbers first"),
        (X.astype(str), LABELS, "features must be numbers, got dtype <U32; turn text"),
        (X + 1j, LABELS, "features must be real numbers, got dtype complex128"),
        (X[:, 0], LABELS, r"features must have two dimensions, got shape \(3,\); reshape"),
        (X[:0], LABELS[:0], "features have no rows"),
        (X[:, :0], LABELS, "features have no columns"),
        (np.ma.masked_less(X, 0), LABELS, "features have masked"),
        (pd.DataFrame({"city": ["x", "y", "z"], "n": 1}), LABELS, "are not numbers: 'city'; turn"),
        (pd.DataFrame({"day": pd.to_datetime(["2020"] * 3)}), LABELS, "are not numbers: 'day'"),
        (pd.DataFrame({"n": pd.array([1, None, 2])}), LABELS, "got nan in row 1, column 0"),
        (X, LABELS[:2], "same number of rows, got 3 and 2"),
        (X, LABELS * 2, "labels must be 0 or 1, got 2 in row 0, column 0"),
        (X, LABELS - 1, "labels must be 0 or 1, got -1 in row 0, column 1"),
        (X, LABELS * 0.5, "labels must be 0 or 1, got 0.5 in row 0, column 0"),
        (X, np.where(LABELS, np.nan, 0), "labels must be 0 or 1, got nan in row 0, column 0"),
        (X, sparse.csr_array(LABELS * 3), "labels must be 0 or 1, got 3 in row 0, column 0"),
        (X, LABELS[:, :1], "labels must have at least 2 columns .* got 1"),
        (X, [0, 1, 2], r"labels must have two dimensions.*label_binarize"),
        (X, [["a"], ["b"], ["c"]], "labels must be numbers.*0/1 column per arm.*get_dummies"),
        (X, pd.Series(["a", "b", "c"]), "labels must be numbers, got 'a'.*get_dummies"),
        (
            pd.DataFrame(X),
            pd.DataFrame(LABELS, index=[2, 1, 0]),
            "different indexes.*labels.loc",
        ),
    ],
)
def test_bad_input_is_refused_by_name(features, labels, message):
    with pytest.raises(ValueError, match=message):
        make(features, labels)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "each of the 3 label columns, got 2 names"),
        (["a", "b", "a"], "differ from each other, got 'a' twice"),
        ([0, 1, 2], "must be strings, got 0"),
    ],
)
def test_bad_arm_names_are_refused(names, message):
    with pytest.raises(ValueError, match=message):
        make(arm_names=names)


def test_describe_gives_the_paper_row():
    assert make().describe().to_dict() == pytest.approx(
        {
            "observations": 3,
            "features": 2,
            "labels": 3,
            "labels_per_observation": 1.0,
            "observations_per_label": 1.0,
            "most_common_label_pct": 200 / 3,
        }
    )


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_arm_subsets_keep_rows_order_and_labels(data):
    k = data.draw(st.integers(2, 8))
    labels = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 2, size=(6, k))
    whole = make(np.ones((6, 1)), labels)
    n, seed = data.draw(st.integers(2, k)), data.draw(st.integers(0, 99))
    part = whole.subset_arms(n, np.random.default_rng(seed))
    kept = [int(name) for name in part.arm_names]
    assert kept == sorted(set(kept)) and len(kept) == n
    assert np.array_equal(part.labels.toarray(), labels[:, kept])
    assert part.checksum == whole.subset_arms(n, seed).checksum
    assert part.name == f"custom[arms={n}]"


def test_the_most_common_arms_are_dropped_first_of_equals_first():
    labels = np.array([[1, 1, 1, 0], [1, 1, 0, 0]])
    data = make(X[:2], labels)
    assert data.drop_common_arms(1).arm_names == ("1", "2", "3")
    assert data.drop_common_arms(2).arm_names == ("2", "3")
    assert data.drop_common_arms(0).checksum == data.checksum
    assert data.drop_unused_arms().arm_names == ("0", "1", "2")
    with pytest.raises(ValueError, match="at least 2 of the 4 arms of custom, got 3"):
        data.drop_common_arms(3)
    for n in (1, 5):
        with pytest.raises(ValueError, match=f"from 2 to the 4 arms of custom, got {n}"):
            data.subset_arms(n, 0)


def test_digits_has_one_label_per_row_and_pixels_from_0_to_1():
    data = load_dataset("digits")
    assert (data.n_rows, data.n_features, data.n_arms) == (1797, 64, 10)
    assert (data.features.min(), data.features.max()) == (0, 1)
    assert (data.labels.sum(axis=1) == 1).all()


def test_an_unknown_name_is_refused_with_the_close_ones():
    with pytest.raises(ValueError, match=r"unknown data set 'bibtx'; did you mean 'bibtex'.*demo"):
        load_dataset("bibtx")
    with pytest.raises(ValueError, match=r"unknown data set 'qqqq'; The names are demo"):
        where_is("qqqq")


@pytest.mark.parametrize("name", ["bibtex", "mediamill-reduced", "eurlex"])
def test_an_absent_set_says_where_it_looked_and_how_to_get_it(monkeypatch, tmp_path, name):
    monkeypatch.setenv("CBKIT_DATA", str(tmp_path / "nowhere"))
    whole = name.removesuffix("-reduced")
    with pytest.raises(DatasetAbsentError) as caught:
        load_dataset(name)
    for part in (f"fetch {whole}", "nowhere (no such folder)", "https://", f"'{whole}-like'"):
        assert part in str(caught.value)
    assert where_is(name) == "absent"


def test_the_table_lists_every_set_and_the_paper_table_its_five(monkeypatch):
    monkeypatch.delenv("CBKIT_DATA", raising=False)
    table = dataset_table()
    assert tuple(table.index) == dataset_names()
    assert table.loc["bibtex", "where"] == "absent" and table.loc["bibtex"].isna().sum() == 6
    for name in ("demo", "digits"):
        assert table.loc[name].drop("where").to_dict() == load_dataset(name).describe().to_dict()
    assert list(paper_table().columns) == list(table.columns[1:])
    assert paper_table().loc["eurlex"].tolist() == [19348, 5000, 3956, 5.31, 25.79, 6.48]
