"""Damaged files: each gives what it says or a clear error, in little time and memory."""

import re
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plain_reading import plain_arff, plain_extreme, plain_svmlight

from cbkit.datasets.formats import (
    FormatError,
    read_arff,
    read_extreme,
    read_label_names,
    read_svmlight,
)

ARMS = ["a", "b"]
HEADER = (
    b"@relation r\n@attribute f numeric\n@attribute 'g h' {0,1,2}\n"
    b"@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
)
XML = b'<?xml version="1.0"?>\n<labels><label name="a"/>\n<label name="b"/></labels>\n'
DENSE = HEADER + b"0.5,1,1,0\n-3e2,0,0,1\n% c\n.5,2,'1',0\n"
SPARSE = HEADER + b"{0 0.5,2 1}\n{1 2, 3 1}\n{}\n"
EXTREME = b"3 4 3\n0,2 0:0.5 3:1\n 1:2e1\n1 2:-0.25\n"
SVMLIGHT = b"# head\n7,40 1:0.5 3:1\n40 2:2 # c\n3 1:1e-3 4:-2\n"


def read_our_arff(path):
    return read_arff(path, ARMS)


def plain_our_arff(content):
    return plain_arff(content, ARMS)


READERS = {
    "dense arff": (DENSE, read_our_arff, plain_our_arff),
    "sparse arff": (SPARSE, read_our_arff, plain_our_arff),
    "extreme": (EXTREME, read_extreme, plain_extreme),
    "svmlight": (SVMLIGHT, read_svmlight, plain_svmlight),
}
readers = pytest.mark.parametrize(("valid", "read", "plain"), READERS.values(), ids=READERS)

INSERTED = [
    *(b"nan", b"inf", b"-1", b"1e999", b"1e-999", b"99999999999999999999", b"9999999", b"1_0"),
    *(b"0x1", b"+1", b"1.", b"1e", b"\xef\xbb\xbf", b"\xff", b"\0", b"\r", b"\r\n", b"\n", b"\t"),
    *(b"\x0b", b"\xc2\x85", b"\xc2\xa0", b"\xd9\xa1", b"\xe2\x80\xa8", b"{", b"}", b",", b":"),
    *(b"'", b'"', b"\\", b"%", b"#", b"?", b"@data", b"@attribute", b"encoding='cp037'", b"000"),
]
FEW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def damages(draw):
    """A function that damages a file in a few places, wherever they are in it."""
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["flip", "cut", "repeat", "insert", "replace", "ends"]),
                st.floats(0, 1, exclude_max=True),
                st.integers(0, 7),
                st.sampled_from(INSERTED),
            ),
            min_size=1,
            max_size=4,
        )
    )

    def damage(content):
        for kind, place, n, piece in steps:
            at = int(place * len(content))
            before, after = content[:at], content[at:]
            lines = content.split(b"\n")
            content = {
                "flip": before + bytes(byte ^ 1 << n for byte in after[:1]) + after[1:],
                "cut": before,
                "repeat": b"\n".join([*lines, lines[int(place * len(lines))]]),
                "insert": before + piece + after,
                "replace": before + piece + after[n:],
                "ends": content.replace(b"\n", b"\r\n" if n % 2 else b"\r"),
            }[kind]
        return content

    return damage


def check(path, content, read, plain):
    """An accepted file means what a plain reading finds in it; all others get a clear error."""
    try:
        data = read(path)
    except FormatError as error:
        assert re.match(re.escape(str(path)) + r"(, line \d+)?: .+; expected .", str(error), re.S)
        assert len(str(error)) < len(str(path)) + 600
        return
    if data.n_features * data.n_arms < 10**5:
        X, labels = plain(content)
        features = (
            data.features if isinstance(data.features, np.ndarray) else data.features.todense()
        )
        np.testing.assert_array_equal(features, X)
        np.testing.assert_array_equal(data.labels.todense(), labels)


@readers
def test_undamaged_files_mean_what_a_plain_reading_finds(write, valid, read, plain):
    data = read(write(valid))
    X, labels = plain(valid)
    np.testing.assert_array_equal(data.labels.todense(), labels)
    assert (data.n_rows, data.n_features) == X.shape


@readers
@given(damage=damages())
@FEW
def test_damaged_files_give_what_they_say_or_a_clear_error(write, valid, read, plain, damage):
    content = damage(valid)
    check(write(content), content, read, plain)


@given(damage=damages())
@FEW
def test_damaged_label_files_give_names_or_a_clear_error(write, damage):
    try:
        names = read_label_names(write(damage(XML)))
    except FormatError as error:
        assert "; expected " in str(error)
    else:
        assert len(names) >= 2


# --- what was once found


@pytest.mark.parametrize("encoding", ["utfm8", "big5", "cp037", "utf-16"])
def test_a_label_file_is_utf_8_whatever_encoding_it_declares(write, encoding):
    # Looking the declared encoding up raised LookupError, ValueError or read other names.
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + XML.decode().partition("?>")[2]
    assert read_label_names(write(text.replace('"b"', '"é"'))) == ("a", "é")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"1 1 2\n0 0:1\n\xff", 3),
        (b"1 1 2\r0 0:1\r\xff", 3),
        (b"1 1 2\r\n0 0:1\r\n\xff", 3),
        (b"\xef\xbb\xbf1 1 2\n\xff", 2),
    ],
)
def test_a_byte_that_is_no_text_is_named_with_its_line(write, content, line):
    with pytest.raises(FormatError, match=f"line {line}: byte 0xff is not UTF-8"):
        read_extreme(write(content))


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (b"1 3 9999999\n0 0:1\n", read_extreme),
        (b"1000000000000 3 3\n0 0:1\n", read_extreme),
        (b"1 1000000000000 3\n0 0:1\n", read_extreme),
        (b"1 1:1\n2 99999999:1\n", read_svmlight),
        (b"1 1:1\n99999999 2:1\n", read_svmlight),
        (HEADER + b"{99999999999 1}\n", read_our_arff),
    ],
    ids=["labels", "rows", "features", "feature", "label", "column"],
)
def test_absurd_numbers_are_refused_before_they_take_memory(write, content, read):
    path = write(content)
    tracemalloc.start()
    with pytest.raises(FormatError):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6


def test_large_label_numbers_take_no_memory(write):
    path = write(b"9999999 1:1\n1 2:1\n")
    tracemalloc.start()
    data = read_svmlight(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert data.arm_names == ("1", "9999999")
    assert data.labels.todense().tolist() == [[0, 1], [1, 0]]
    assert peak < 1e6


@pytest.mark.parametrize("row", ["{0 1}", ",".join(["0"] * 3002)])
def test_attributes_with_values_of_their_own_each_take_no_time(write, row):
    declared = "".join(f"@attribute f{j} {{0,1,{j + 2}}}\n" for j in range(3000))
    arms = "".join(f"@attribute {arm} {{0,1}}\n" for arm in ARMS)
    path = write(f"{declared}{arms}@data\n{row}\n")
    start = time.process_time()
    assert read_our_arff(path).n_features == 3000
    assert time.process_time() - start < 1


def test_a_value_of_another_attribute_with_other_values_is_refused(write):
    declared = "@attribute f {0,1}\n@attribute g {0,3}\n@attribute a {0,1}\n@attribute b {0,1}\n"
    for row in ("{0 3}", "{1 1}", "3,0,0,0", "0,1,0,0"):
        name, allowed = ("f", "{0,1}") if row in ("{0 3}", "3,0,0,0") else ("g", "{0,3}")
        with pytest.raises(FormatError, match=f"'{name}' is [13]; expected one of {allowed}"):
            read_our_arff(write(f"{declared}@data\n{row}\n"))


@pytest.mark.parametrize(
    "text",
    [
        f"@attribute {'n' * 10**6} string\n",
        f"@attribute {'n' * 10**6} {{0,1\n",
        f"@attribute {'n' * 10**6} {{x}}\n",
        f"@attribute {'n' * 10**6} real\n" * 2 + "@data\n",
        f"@attribute {'n' * 10**6} real\n@attribute a real\n@attribute b real\n@data\n1e999,0,0",
        f"@attribute f {{{','.join(map(str, range(10**5)))}}}\n@attribute a real\n"
        "@attribute b real\n@data\n-1,0,0",
    ],
    ids=["type", "brace", "category", "twice", "infinite", "values"],
)
def test_messages_stay_short_however_long_the_names(write, text):
    path = write(text)
    with pytest.raises(FormatError) as caught:
        read_our_arff(path)
    assert len(str(caught.value)) < len(str(path)) + 400
