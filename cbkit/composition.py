"""What the named algorithms are put together from."""

from __future__ import annotations

from typing import Any, TypedDict

from cbkit.bootstrap import Resampling
from cbkit.choosers import Chooser
from cbkit.coldstart import MABFirst
from cbkit.indices import Index, Mean
from cbkit.oracles import as_oracle
from cbkit.policies import Policy

MAB_FIRST = MABFirst(a=3, b=7, m=2)


class Common(TypedDict, total=False):
    """Keywords that every algorithm with an oracle takes."""

    oracle: Any
    cold_start: Any
    exclusive_rewards: bool


def compose(
    name: str,
    n_arms: int,
    chooser: Chooser,
    *,
    index: Index | None = None,
    resampling: Resampling | None = None,
    oracle: Any = "logistic",
    cold_start: Any = MAB_FIRST,
    exclusive_rewards: bool = False,
    **unknown: Any,
) -> Policy:
    """Put a policy together from a chooser and what else is not a default."""
    if unknown:  # Python's own message would name `compose`, which the user did not call
        raise TypeError(
            f"{name} has no parameter {', '.join(map(repr, unknown))}; help({name}) lists its own, "
            f"and all policies with an oracle take {', '.join(Common.__annotations__)}"
        )
    return Policy(
        name=name,
        n_arms=n_arms,
        oracle=as_oracle(oracle, resampling),
        cold_start=cold_start,
        index=index or Mean(),
        chooser=chooser,
        exclusive_rewards=exclusive_rewards,
    )
