"""Logs from data frames."""

import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from cbkit.off_policy.frames import log_from_frame

FRAME = pd.DataFrame(
    {
        "id": [11, 12, 13, 14],
        "city": ["Rome", "Oslo", "Rome", "Oslo"],
        "age": [20.0, 30.0, 40.0, 50.0],
        "shown": ["ad", "news", "ad", "sport"],
        "click": [1, 0, 0, 1],
        "p": [0.5, 0.25, 0.5, 0.25],
    },
    index=[9, 8, 7, 6],
)
COLUMNS = {"arm": "shown", "reward": "click", "propensity": "p", "contexts": ["city", "age"]}
NAMES = ["news", "ad", "sport", "film"]


def transformer():
    return make_column_transformer((OneHotEncoder(), ["city"]), (StandardScaler(), ["age"]))


def read(frame=FRAME, **changes):
    return log_from_frame(
        frame, **(COLUMNS | {"arm_names": NAMES, "transformer": transformer()} | changes)
    )


def test_columns_become_a_log_and_arms_never_played_count():
    log = read()
    assert log.n_arms == 4
    assert log.arms.tolist() == [1, 0, 1, 2]
    assert log.X.shape == (4, 3)
    assert log.X[:, :2].tolist() == [[0, 1], [1, 0], [0, 1], [1, 0]]


def test_a_fitted_transformer_is_taken_as_it_is():
    fitted = transformer().fit(FRAME.iloc[:2][["city", "age"]])
    assert read(transformer=fitted).X[3, 2] == pytest.approx(5.0)  # (50 - 25) / 5


def test_numbered_arms_and_numeric_contexts_need_no_names_and_no_transformer():
    frame = FRAME.assign(shown=[1, 0, 1, 2])
    log = read(frame, arm_names=None, n_arms=3, transformer=None, contexts=["age"], page="city")
    assert log.X[:, 0].tolist() == [20, 30, 40, 50]
    assert log.pages.tolist() == [0, 1, 0, 1]


TWICE = pd.concat([FRAME, FRAME.iloc[[1]]])
BAD = {
    "absent column": ({"reward": "clicks"}, "no column 'clicks'; did you mean 'click'"),
    "no contexts": ({"contexts": []}, "at least one column"),
    "number of arms unknown": ({"arm_names": None}, "how many arms"),
    "unknown arm": ({"arm_names": ["news", "ad"]}, "no 'sport', the arm of row 3"),
    "repeated rows": ({"frame": TWICE}, "row 4 repeats an earlier row"),
    "repeated id": ({"frame": TWICE.assign(age=range(5)), "round_id": "id"}, "12 again in row 4"),
    "text without transformer": ({"transformer": None}, "'city'"),
    "class for transformer": ({"transformer": OneHotEncoder}, "such as OneHotEncoder"),
    "missing category": (
        {"frame": FRAME.assign(city=["Rome", None, "Rome", "Oslo"])},
        "row 1, column 'city'",
    ),
    "missing propensity": ({"frame": FRAME.assign(p=[0.5, 0.5, None, 0.5])}, "nan in row 2"),
}


@pytest.mark.parametrize(("changes", "message"), BAD.values(), ids=BAD)
def test_bad_frames_are_refused_in_words(changes, message):
    with pytest.raises(ValueError, match=message):
        read(**changes)


def test_equal_rows_are_rounds_of_their_own_where_an_id_says_so():
    frame = pd.concat([FRAME, FRAME.iloc[[1]].assign(id=15)])
    assert read(frame, round_id="id").n_rounds == 5
