"""Claims about what oracles keep per arm."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from cbkit.oracles.per_arm import PerArm


def test_arms_move_down_past_a_dropped_one_that_need_not_be_there():
    states = PerArm({0: "a", 2: "b", 3: "c"})
    states.drop_arm(2)
    assert states == {0: "a", 2: "c"}
    states.drop_arm(1)
    assert states == {0: "a", 1: "c"}


@given(st.permutations(range(6)), st.lists(st.integers(0, 5), max_size=4))
def test_every_state_stays_with_its_arm_in_the_order_of_learning(order, dropped):
    arms, states = list(range(6)), PerArm({arm: f"state {arm}" for arm in order})
    for arm in dropped:
        states.drop_arm(arm)
        del arms[arm : arm + 1]
    assert states == {position: f"state {arm}" for position, arm in enumerate(arms)}
    expected = [arms.index(arm) for arm in order if arm in arms]
    assert states.arms.tolist() == expected
    assert pickle.loads(pickle.dumps(states)).arms.tolist() == expected
