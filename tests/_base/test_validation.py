"""What comes in at the door: accepted in every reasonable form, refused with value and remedy."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cbkit._base.validation import (
    as_arms,
    as_features,
    as_rewards,
    check_decay,
    check_number,
    check_percentile,
    check_probability,
    check_whole,
)

X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
KINDS = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")


def contexts_of(given):
    return as_features(given, "contexts", copy=False)


SPARSE = [getattr(sparse, f"{kind}_{form}") for kind in KINDS for form in ("matrix", "array")]


# --- numbers


@pytest.mark.parametrize("value", [0, 1, 30, 80, 99.5, 100, np.float32(80), np.int64(80)])
def test_percentiles_lie_between_0_and_100(value):
    check_percentile(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.8, r"percentile must be in \[0, 100\], got 0.8; did you mean 80\?"),
        (0.025, "did you mean 2.5"),
        (-1, "got -1"),
        (101, "got 101"),
        (np.nan, "finite number, got nan"),
        (np.inf, "finite number, got inf"),
        ("80", "finite number, got '80'"),
        (None, "finite number, got None"),
        (True, "finite number, got True"),
        ([80], r"finite number, got \[80\]"),
    ],
)
def test_fractions_and_non_numbers_are_no_percentiles(value, message):
    with pytest.raises(ValueError, match=message):
        check_percentile(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (80, r"epsilon must be in \[0, 1\], got 80; did you mean 0.8\?"),
        (1.5, "did you mean 0.015"),
        (-0.1, r"in \[0, 1\], got -0.1$"),
        (101, r"in \[0, 1\], got 101$"),
        (np.nan, "epsilon must be a finite number"),
        ("0.1", "epsilon must be a finite number"),
    ],
)
def test_percentages_and_non_numbers_are_no_probabilities(value, message):
    with pytest.raises(ValueError, match=message):
        check_probability("epsilon", value)


@pytest.mark.parametrize("value", [0, 1, 0.15, np.float32(0.5)])
def test_probabilities_include_both_ends(value):
    check_probability("epsilon", value)


@pytest.mark.parametrize("value", [0, -0.5, 1.001, 100, np.nan, None, "0.9"])
def test_decays_outside_0_and_1_are_refused_with_the_value(value):
    with pytest.raises(ValueError, match=f"got {value!r}"):
        check_decay(value)


def test_decay_of_1_is_no_decay():
    check_decay(1)
    check_decay(0.9997)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, None, "2", True, 2 + 1j])
def test_only_finite_real_numbers_are_numbers(value):
    with pytest.raises(ValueError, match="multiplier must be a finite number"):
        check_number("multiplier", value)


@pytest.mark.parametrize("value", [0, -3, 1.5, True, None, "5", np.nan, np.inf, [5]])
def test_what_is_not_a_whole_number_is_refused_with_the_value(value):
    with pytest.raises(ValueError, match="n_rounds must be a whole number of at least 1, got "):
        check_whole("n_rounds", value)


def test_whole_floats_are_refused_with_the_integer_to_write():
    # They would pass a comparison and then fail as the size of an array.
    with pytest.raises(ValueError, match=r"got 50\.0; write 50$"):
        check_whole("refit_every", 50.0)


@pytest.mark.parametrize("value", [0, 7, np.int32(7), np.uint8(7), 10**12])
def test_integers_of_any_kind_are_whole_numbers(value):
    check_whole("seed", value, least=0)


# --- contexts


@pytest.mark.parametrize("make", SPARSE, ids=lambda make: make.__name__)
def test_every_sparse_format_becomes_csr_of_the_same_content(make):
    contexts = contexts_of(make(X))
    assert isinstance(contexts, sparse.csr_array)
    assert contexts.dtype == np.float64
    assert (contexts.toarray() == X).all()


@pytest.mark.parametrize(
    "given",
    [X, X.astype(np.int32), X.tolist(), np.asfortranarray(X), X[:, ::-1][:, ::-1], pd.DataFrame(X)],
)
def test_dense_contexts_stay_dense(given):
    contexts = contexts_of(given)
    assert isinstance(contexts, np.ndarray)
    assert contexts.dtype == np.float64
    assert (contexts == X).all()


def test_repeated_entries_of_a_sparse_row_are_summed_without_touching_the_input():
    repeated = sparse.csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), (1, 3))
    contexts = contexts_of(repeated)
    assert contexts.data.tolist() == [3.0]
    assert repeated.data.tolist() == [1.0, 2.0]


def test_a_sparse_buffer_that_is_filled_anew_is_looked_at_anew():
    buffer = sparse.csr_array(np.array([[1.0, 0.0, 2.0]]))
    assert buffer.has_canonical_format and buffer.has_sorted_indices
    assert contexts_of(buffer).toarray().tolist() == [[1.0, 0.0, 2.0]]
    buffer.indices[:] = [1, 1]
    assert contexts_of(buffer).data.tolist() == [3.0]
    buffer.indices[:] = [2, 0]
    assert contexts_of(buffer).indices.tolist() == [0, 2]


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_contexts_are_a_new_object_each_time(make):
    # A history tells blocks apart by identity; users fill one buffer again and again.
    buffer = make(X)
    assert contexts_of(buffer) is not buffer
    assert contexts_of(buffer) is not contexts_of(buffer)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_contexts_that_are_not_finite_are_refused_with_the_value(make, bad):
    with pytest.raises(
        ValueError, match=f"contexts must be finite, got {bad} in row 0, column 1; impute"
    ):
        contexts_of(make([[1.0, bad]]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], r"got shape \(2,\); write x.reshape\(1, -1\)"),
        (3.0, r"got shape \(\)"),
        (np.zeros((2, 3, 4)), r"got shape \(2, 3, 4\)"),
        (np.zeros((2, 0)), "contexts have no columns"),
        (sparse.csr_array((2, 0)), "contexts have no columns"),
        ([["red", "blue"]], "contexts must be numbers, got dtype <U4; turn text"),
        (np.array([["red", 1.0]], dtype=object), "must be numbers, got 'red'; turn text"),
        ([[1.0, 2.0], [3.0]], "got rows of different lengths; give every row the same columns"),
        ([[1j]], "contexts must be real numbers, got dtype complex128"),
        (sparse.csr_array([[1j]]), "contexts must be real numbers, got dtype complex128"),
        (
            np.array([["2020-01-01"]], dtype="datetime64[D]"),
            "must be numbers, got dtype datetime64",
        ),
        (
            pd.DataFrame({"a": pd.array([1, None])}),
            "contexts must be finite, got nan in row 1, column 0",
        ),
        (np.ma.masked_equal([[1.0, 7.0]], 7.0), "masked .missing. entries; fill them in first"),
        ([[None, 1.0]], "contexts must be finite, got nan"),
    ],
)
def test_what_is_not_a_matrix_of_numbers_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        contexts_of(given)


# --- rewards and arms


@pytest.mark.parametrize(
    "given",
    [
        [0, 1, 1],
        [False, True, True],
        [0.0, 1.0, 1.0],
        np.array([0, 1, 1], dtype=np.uint8),
        np.array([0, 1, 1], dtype=np.float32),
        pd.Series([0, 1, 1], index=[7, 8, 9]),
        (0, 1, 1),
    ],
)
def test_rewards_may_be_booleans_integers_or_floats(given):
    rewards = as_rewards(given)
    assert rewards.dtype == np.int8
    assert rewards.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0, 0.5], "rewards must be 0 or 1, got 0.5; threshold or draw continuous rewards first"),
        ([0, -1], "got -1"),
        ([2], "got 2"),
        ([np.nan, 1.0], "got nan"),
        ([np.inf], "got inf"),
        (["0", "1"], "rewards must be numbers 0 or 1"),
        ([None, 1], "rewards must be numbers 0 or 1"),
        ([1 + 0j], "rewards must be numbers 0 or 1"),
        ([[0, 1]], r"rewards must have shape \(n_rounds,\), got \(1, 2\)"),
        (1, r"rewards must have shape \(n_rounds,\), got \(\)"),
    ],
)
def test_other_rewards_are_refused_with_the_value(given, message):
    with pytest.raises(ValueError, match=message):
        as_rewards(given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0, 3], r"arms must be in \[0, 2\], got 3"),
        ([-1], r"arms must be in \[0, 2\], got -1"),
        ([1.0], "arms must be whole numbers"),
        ([True], "arms must be whole numbers"),
        (["1"], "arms must be whole numbers"),
        ([[0]], r"shape \(n_rounds,\)"),
        (1, r"shape \(n_rounds,\)"),
    ],
)
def test_arms_out_of_range_or_not_whole_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        as_arms(given, 3)


@given(st.lists(st.integers(-5, 8), max_size=20), st.integers(2, 6))
def test_arms_pass_if_and_only_if_all_are_in_range(arms, n_arms):
    if all(0 <= arm < n_arms for arm in arms):
        assert as_arms(arms, n_arms).tolist() == arms
    else:
        with pytest.raises(ValueError, match="arms must be in"):
            as_arms(arms, n_arms)


@given(st.lists(st.sampled_from([0, 1, 0.0, 1.0, 0.5, -1, 2]), min_size=1, max_size=20))
def test_rewards_pass_if_and_only_if_all_are_0_or_1(rewards):
    if set(rewards) <= {0, 1}:
        assert as_rewards(rewards).tolist() == rewards
    else:
        with pytest.raises(ValueError, match="rewards must be 0 or 1"):
            as_rewards(rewards)


@pytest.mark.parametrize("options", [{"name": "contexts", "copy": False}, {}])
def test_wide_sparse_indices_are_narrowed_as_classifiers_refuse_them(options):
    X = sparse.csr_array(np.eye(3))
    wide = sparse.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)))
    narrow = as_features(wide, **options)
    assert wide.indices.dtype == np.int64
    assert narrow.indices.dtype == narrow.indptr.dtype == np.int32
    np.testing.assert_array_equal(narrow.toarray(), np.eye(3))


# --- both doors


@pytest.mark.parametrize("name", ["contexts", "features"])
@pytest.mark.parametrize("make", [np.array, sparse.csr_array, sparse.coo_matrix, pd.DataFrame])
@pytest.mark.parametrize("huge", [1e160, -1e151, 1e308])
def test_numbers_whose_squares_overflow_are_refused_alike_for_dense_and_sparse(name, make, huge):
    message = rf"{name} must lie in \[-1e150, 1e150\], .* got {huge} in row 1, column 0; rescale"
    with pytest.raises(ValueError, match=message.replace("+", r"\+")):
        as_features(make([[1.0, 2.0], [huge, 1.0]]), name)
    allowed = as_features(make([[1.0, 2.0], [-1e150, 1e150]]), name)
    assert np.isfinite((allowed * allowed).sum())


def test_features_of_a_data_set_have_memory_of_their_own_and_store_no_zeros():
    dense, compressed = X.copy(), sparse.csr_array((np.array([0.0, 1.0]), [0, 1], [0, 2, 2]))
    copies = as_features(dense), as_features(compressed)
    dense[:], compressed.data[:] = 9.0, 9.0
    np.testing.assert_array_equal(copies[0], X)
    assert copies[1].data.tolist() == [1.0]
