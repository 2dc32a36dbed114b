import re
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cbkit.datasets.formats import (
    FormatError,
    read_arff,
    read_extreme,
    read_label_names,
    read_svmlight,
)

HEADER = "@relation r\n@attribute f numeric\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"

readers = pytest.mark.parametrize(
    "read",
    [
        lambda path: read_arff(path, ["a", "b"]),
        read_extreme,
        read_svmlight,
        read_label_names,
    ],
    ids=["arff", "extreme", "svmlight", "xml"],
)
FEW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def number(value):
    return repr(float(value))


@st.composite
def tables(draw):
    n_rows, n_features, n_arms = (draw(st.integers(low, 5)) for low in (1, 1, 2))
    values = st.one_of(st.just(0.0), st.floats(-1e150, 1e150))
    X = [[draw(values) for _ in range(n_features)] for _ in range(n_rows)]
    labels = [[draw(st.integers(0, 1)) for _ in range(n_arms)] for _ in range(n_rows)]
    return np.array(X), np.array(labels)


@given(tables(), st.randoms(use_true_random=False), st.booleans())
@FEW
def test_arff_gives_back_what_was_written(write, table, random, dense):
    X, labels = table
    names = [f"feature {j}" for j in range(X.shape[1])] + [f"l'{j}" for j in range(labels.shape[1])]
    order = random.sample(range(len(names)), len(names))
    values = np.hstack([X, labels])[:, order]
    text = "@relation r\n"
    for column in order:
        quoted = names[column].replace("'", "\\'")
        text += f"@attribute '{quoted}' {'{0,1}' if column >= X.shape[1] else 'numeric'}\n"
    text += "@data\n"
    for row in values:
        entries = [f"{j} {number(value)}" for j, value in enumerate(row) if value]
        text += ",".join(map(number, row)) if dense else "{" + ", ".join(entries) + "}"
        text += "\n"
    data = read_arff(write(text), names[X.shape[1] :])
    kept = [column for column in order if column < X.shape[1]]
    features = data.features if dense else data.features.toarray()
    assert np.array_equal(features, X[:, kept])
    assert np.array_equal(data.labels.toarray(), labels)


@given(tables())
@FEW
def test_extreme_and_svmlight_give_back_what_was_written(write, table):
    X, labels = table
    extreme, svmlight = [f"{len(X)} {X.shape[1]} {labels.shape[1]}"], []
    for row, arms in zip(X, labels, strict=True):
        named = ",".join(map(str, np.flatnonzero(arms)))
        stored = np.flatnonzero(row)
        extreme.append(" ".join([named, *(f"{j}:{number(row[j])}" for j in stored)]))
        svmlight.append(" ".join([named, *(f"{j + 1}:{number(row[j])}" for j in range(row.size))]))
    data = read_extreme(write("\n".join(extreme) + "\n"))
    assert np.array_equal(data.features.toarray(), X)
    assert np.array_equal(data.labels.toarray(), labels)
    used = np.flatnonzero(labels.any(axis=0))
    if used.size >= 2:
        data = read_svmlight(write("\n".join(svmlight)))
        assert np.array_equal(data.features.toarray(), X)
        assert data.arm_names == tuple(map(str, used))
        assert np.array_equal(data.labels.toarray(), labels[:, used])


PIECES = (
    "@data|@attribute a {0,1}\n|@attribute f real\n|{0 1}|2 3 2\n|0,1 |1:1|\n|<label name='a'/>"
)


@readers
@given(
    text=st.one_of(
        st.binary(max_size=60),
        st.lists(
            st.sampled_from([*PIECES.split("|"), ",", " ", "%", "é", "\0", "1"]), max_size=12
        ).map(lambda pieces: "".join(pieces).encode()),
    )
)
@FEW
def test_arbitrary_bytes_give_data_or_a_format_error(write, read, text):
    try:
        read(write(text))
    except FormatError as error:
        assert re.search(r"; expected ", str(error))


@readers
@pytest.mark.parametrize("piece", ["1 ", "1,", "1:1 ", "{0 1,", "1.1", " ", "'", "<a>"])
def test_a_long_bad_line_takes_no_time(write, read, piece):
    path = write(HEADER + piece * 100_000 + "!\n")
    start = time.process_time()
    with pytest.raises(FormatError):
        read(path)
    assert time.process_time() - start < 2
