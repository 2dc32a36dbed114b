import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from cbkit.datasets.formats import (
    FormatError,
    read_arff,
    read_extreme,
    read_label_names,
    read_svmlight,
)

XML = '<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'
HEADER = "@relation r\n@attribute f numeric\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"


def refusal(read, *arguments, **options):
    with pytest.raises(FormatError) as caught:
        read(*arguments, **options)
    return str(caught.value)


def test_labels_need_not_be_last_contiguous_or_in_order(write):
    path = write(
        "% a comment\n@RELATION 'x y'\n\n@ATTRIBUTE b {0,1}\n@attribute 'f one' REAL\n"
        '@attribute a{0, 1}\n@attribute "it\'s" integer\n@DATA\n\n% rows\n'
        "1,0.5,0,-3\n 0 , 1e-2 , 1 , .5 \n"
    )
    xml = write(XML.format('<label name="a"><label name="b"/></label>'), "labels.xml")
    data = read_arff(path, xml)
    assert data.arm_names == ("a", "b")
    assert data.labels.toarray().tolist() == [[0, 1], [1, 0]]
    assert data.features.tolist() == [[0.5, -3.0], [0.01, 0.5]]


def test_sparse_and_dense_rows_mean_the_same(write):
    dense = read_arff(write(HEADER + "0.5,1,0\n0,0,0\n2,0,1\n", "dense.arff"), ["a", "b"])
    rows = "{0 0.5,1 1}\n{ }\n{2 1, 0 2}\n"
    stored = read_arff(write(HEADER + rows, "sparse.arff"), ["a", "b"])
    assert sparse.issparse(stored.features) and not sparse.issparse(dense.features)
    assert dense.checksum == stored.checksum


def test_quoted_values_names_and_line_ends_are_read(write):
    text = "@relation r\n@attribute 'don\\'t' numeric\n@attribute \"a b\" {'0','1'}\n"
    text += "@attribute c {1}\n@data\n'0.5',\"1\",1\n"
    data = read_arff(write(text.replace("\n", "\r\n")), ["a b", "c"])
    assert data.features.tolist() == [[0.5]]
    assert data.labels.toarray().tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("0.5,1,0\n0.5,1\n", 7, "2 values; expected 3"),
        ("0.5,1,0,1\n", 6, "4 values; expected 3"),
        ("x,1,0\n", 6, "value 1 is 'x'; expected a number"),
        ("0.5,?,0\n", 6, "value 2 is '?'; expected a number"),
        ("nan,1,0\n", 6, "value 1 is 'nan'"),
        ("1_0,1,0\n", 6, "value 1 is '1_0'"),
        ("1e999,1,0\n", 6, "'f' has too large a value"),
        ("0.5,2,0\n", 6, "'a' is 2; expected one of {0,1}"),
        ("0.5,1,0\n\n% c\n{0 1}\n", 9, "do not mix both forms"),
        ("{0 1}\n1,1,0\n", 7, "do not mix both forms"),
        ("{0 1,0 2}\n", 6, "index 0 appears twice"),
        ("{3 1}\n", 6, "index 3 is out of range; expected 0 to 2"),
        ("{99999999999999999999999 1}\n", 6, "is out of range"),
        ("{-1 1}\n", 6, "entry '-1 1'"),
        ("{0 1 2}\n", 6, "entry '0 1 2'"),
        ("{0 1,}\n", 6, "entry ''"),
        ("{0 1}\n{0 1\n", 7, "expected one brace, at the end"),
        ("{0 1}, {5}\n", 6, "expected one brace, at the end"),
        ("{0 1e999}\n", 6, "index 0 has too large a value"),
        ("{1 0.5}\n", 6, "'a' is 0.5; expected one of {0,1}"),
        ("{0 '1}\n", 6, 'entry "0 \'1"'),
        ("", None, "no rows after @data"),
    ],
)
def test_a_malformed_arff_row_is_refused_with_its_line(write, rows, line, message):
    refused = refusal(read_arff, write(HEADER + rows, "bad.arff"), ["a", "b"])
    assert message in refused
    assert (f"bad.arff, line {line}: " in refused) == (line is not None)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("@attribute f string\n", "line 1: attribute 'f' of type 'string'"),
        ("@attribute f {red,blue}\n", "line 1: value 'red' of attribute 'f'"),
        ("@attribute f {0,1\n", "line 1: values '{0,1' of 'f'"),
        ("@attribute 'f\n", "line 1: "),
        ("@attribute a {0,1}\n@attribute a {0,1}\n@data\n", "line 2: attribute 'a' again"),
        ("hello\n", "line 1: 'hello' before @data"),
        ("@attribute a {0,1}\n", "no @data in 1 lines"),
        ("@data\n", "line 1: @data before any @attribute"),
        ("@attribute a {0,1}\n@data\n1\n", "no attribute for 1 of 2 labels, the first 'b'"),
        ("@attribute a {0,1}\n@attribute b {0,1}\n@data\n1,0\n", "every attribute is a label"),
        (
            "@attribute f real\n@attribute a {-1,1}\n@attribute b real\n@data\n",
            "with values {-1,1}",
        ),
        (
            "@attribute f {1,0}\n@attribute a {0,1}\n@attribute b real\n@data\n{0 1}\n",
            "of which sparse rows leave out the first",
        ),
    ],
)
def test_a_malformed_arff_header_is_refused(write, header, message):
    assert message in refusal(read_arff, write(header), ["a", "b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<labels><label name='a'/>", "not well-formed XML"),
        ("<labels><label/></labels>", "a label without a name"),
        ("<labels><label name='a'/><label name='a'/></labels>", "label 'a' twice"),
        ("<html><body>Not found</body></html>", "0 labels"),
        ('<!DOCTYPE x [<!ENTITY y "z">]><labels/>', "document type declaration"),
        (b"\xff\xfe", "line 1: byte 0xff is not UTF-8"),
    ],
)
def test_a_malformed_label_file_is_refused(write, text, message):
    assert message in refusal(read_label_names, write(text))


def test_extreme_rows_may_lack_labels_or_features(write):
    data = read_extreme(write("5 3 3\n0,2 0:1 2:0.5\n 1:2\n1\n2:3\n\n"))
    assert data.labels.toarray().tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0] * 3, [0] * 3]
    assert data.features.toarray()[:, 2].tolist() == [0.5, 0, 0, 3, 0]
    assert data.arm_names == ("0", "1", "2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: ''; expected three numbers"),
        ("2 3\n", "line 1: '2 3'; expected three numbers"),
        ("1 3 1\n0 0:1\n", "2 to 1,000,000 labels"),
        ("1 3 999999999999\n0 0:1\n", "2 to 1,000,000 labels"),
        ("3 3 2\n0 0:1\n1 0:1\n", "line 3: 2 rows; expected 3"),
        ("1 3 2\n0 0:1\n1 0:1\n", "line 3: 2 rows; expected 1"),
        ("1 3 2\n0 3:1\n", "line 2: feature 3 is out of range; expected 0 to 2"),
        ("1 3 2\n2 0:1\n", "line 2: label 2 is out of range; expected 0 to 1"),
        ("1 3 2\n0,0 0:1\n", "line 2: label 0 appears twice"),
        ("1 3 2\n0 1:1 1:2\n", "line 2: feature 1 appears twice"),
        ("1 3 2\n0, 1 0:1\n", "line 2: '0,'; expected labels"),
        ("1 3 2\n0 1 0:1\n", "line 2: '1'; expected a feature"),
        ("1 3 2\n0 0:nan\n", "line 2: '0:nan'; expected a feature"),
        ("1 3 2\n0 0:1e400\n", "line 2: feature 0 has too large a value"),
        ("1 3 2\n0 0 :1\n", "line 2: '0'; expected a feature"),
    ],
)
def test_a_malformed_extreme_file_is_refused_with_its_line(write, text, message):
    assert message in refusal(read_extreme, write(text))


def test_svmlight_agrees_with_scikit_learn(write):
    path = write("# head\n3,1 1:0.5 4:-2 # note\n\n 2:7\n3 3:1e-3\n")
    data = read_svmlight(path)
    X, labels = load_svmlight_file(str(path), multilabel=True, zero_based=False)
    assert np.array_equal(data.features.toarray(), X.toarray())
    assert data.arm_names == ("1", "3")
    assert [
        tuple(sorted(float(data.arm_names[arm]) for arm in np.flatnonzero(row)))
        for row in data.labels.toarray()
    ] == [tuple(sorted(row)) for row in labels]


def test_svmlight_counts_features_from_zero_only_when_told(write):
    path = write("1 0:1\n2 1:1\n")
    assert "line 1: feature 0; expected features counted from 1" in refusal(read_svmlight, path)
    assert read_svmlight(path, zero_based=True, n_features=5).n_features == 5
    assert "feature 1 is out of range" in refusal(
        read_svmlight, path, zero_based=True, n_features=1
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# only a comment\n", "no rows"),
        ("1 1:1\n1 2:1\n", "1 different labels; expected at least 2"),
        ("1,2\n", "no features in any row"),
        ("1 qid:3 1:1\n", "line 1: 'qid:3'"),
        ("-1 1:1\n", "line 1: '-1'; expected labels"),
        ("1,2 99999999999999:1\n", "line 1: feature 99999999999999 is out of range"),
        ("1,99999999999999 1:1\n", "line 1: label 99999999999999 is out of range"),
    ],
)
def test_a_malformed_svmlight_file_is_refused(write, text, message):
    assert message in refusal(read_svmlight, write(text))


@pytest.mark.realdata
def test_bibtex_reads_in_about_a_second(real_dataset):
    from cbkit.datasets.sources import offered_folders

    real_dataset("bibtex")
    folder = next(place for place in offered_folders() if (place / "bibtex.arff").exists())
    start = time.process_time()
    data = read_arff(folder / "bibtex.arff", folder / "bibtex.xml")
    assert time.process_time() - start < 2
    assert data.features.nnz == 507_746
