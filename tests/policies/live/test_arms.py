"""Names of arms."""

import numpy as np
import pytest

from cbkit.policies.live.arms import ArmNames


def test_names_last_as_other_arms_come_and_go():
    arms = ArmNames(3, ["hats", "shoes", "coats"])
    assert arms.drop("hats") == 0
    assert arms.add("ties") == "ties"
    assert arms.names == ("shoes", "coats", "ties")
    assert arms.positions(["ties", "shoes"]).tolist() == [2, 0]
    assert arms.called(np.array([1, 1])).tolist() == ["coats", "coats"]


def test_numbers_are_the_default_and_are_never_given_twice():
    arms = ArmNames(3)
    arms.drop(2)
    assert arms.add() == 3
    assert arms.called(np.array([0, 2])).tolist() == [0, 3]
    assert arms.called(np.array([0])).dtype == np.int64


def test_names_and_numbers_mix_and_numpy_values_are_plain_ones():
    arms = ArmNames(2, [np.int64(7), np.str_("b")])
    assert [type(name) for name in arms.names] == [int, str]
    assert arms.add() == 8
    assert arms.positions(np.array([8, 7])).tolist() == [2, 0]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "a"], "there is an arm 'a' already"),
        (["a"], "must be 2 names"),
        ("ab", "must be 2 names"),
        (["a", 1.5], "must be text or a whole number, got 1.5"),
        (["a", True], "must be text or a whole number, got True"),
        (["a", 2**63], "a number has at most 63 bits"),
    ],
)
def test_names_that_do_not_name_each_arm_are_refused(names, message):
    with pytest.raises(ValueError, match=message):
        ArmNames(2, names)


def test_a_dropped_name_is_refused_everywhere():
    arms = ArmNames(3, ["a", "b", "c"])
    arms.drop("b")
    for use in (lambda: arms.positions(["a", "b"]), lambda: arms.drop("b")):
        with pytest.raises(ValueError, match="arm 'b' was dropped"):
            use()
    with pytest.raises(ValueError, match="give the new one another name"):
        arms.add("b")


@pytest.mark.parametrize(
    ("asked", "message"),
    [(["d"], "no arm 'd'; the arms are 'a', 'b'"), ("a", r"write \['a'\]"), (3, r"write \[3\]")],
)
def test_unknown_arms_are_named(asked, message):
    with pytest.raises(ValueError, match=message):
        ArmNames(2, ["a", "b"]).positions(asked)


def test_a_mask_is_one_for_all_rounds_or_one_per_round():
    arms = ArmNames(3, ["a", "b", "c"])
    assert arms.mask(None, 2) is None
    for names in (["c", "a"], ("c", "a"), {"c", "a"}, np.array(["c", "a"])):
        assert arms.mask(names, 2).tolist() == [[True, False, True]] * 2
    assert arms.mask([True, False, True], 2).tolist() == [[True, False, True]] * 2
    each = [[True, False, False], [False, True, True]]
    assert arms.mask(each, 2).tolist() == each


@pytest.mark.parametrize(
    ("allowed", "message"),
    [
        ([[True] * 3, [False] * 3], "no arm in row 1"),
        ([True, False], r"got shape \(2,\)"),
        ([[True] * 3] * 3, r"got shape \(3, 3\)"),
        (["d"], "no arm 'd'"),
        ([], "no arm in row 0"),
        (["a", "a"], "names an arm twice"),
        ([1.0, 0.0, 1.0], r"got float64; write allowed\.astype\(bool\)"),
        ([[1, 0, 1], [1, 1, 1]], r"got int64; write allowed\.astype\(bool\)"),
        ([[True], [True, False]], "rows of different lengths"),
    ],
)
def test_masks_that_leave_nothing_or_fit_nothing_are_refused(allowed, message):
    with pytest.raises(ValueError, match=message):
        ArmNames(3, ["a", "b", "c"]).mask(allowed, 2)


def test_a_mask_of_numbers_is_not_taken_for_names():
    with pytest.raises(ValueError, match=r"names an arm twice.*True and False"):
        ArmNames(3).mask([1, 0, 1], 2)
