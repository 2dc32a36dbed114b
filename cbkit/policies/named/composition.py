"""What the named policies share: their cold start, the types of their parameters, their calls."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol, cast

from cbkit._base.keywords import suggest_keywords
from cbkit.oracles.oracle import Oracle
from cbkit.policies.cold_start import MABFirst
from cbkit.policies.live.arms import ArmName, ArmNames
from cbkit.policies.policy import Policy

MAB_FIRST = MABFirst(a=3, b=7, m=2)

Parameters = ParamSpec("Parameters")


class Classifier(Protocol):
    """A binary classifier as scikit-learn's: cloned for each arm and resample, never changed."""

    def fit(self, X: Any, y: Any) -> Any:
        """Fit it to features, shape (n_rows, n_features), and labels, shape (n_rows,)."""


OracleLike = str | Mapping[str, Mapping[str, Any]] | Classifier | Oracle


class NamedPolicy(Protocol[Parameters]):
    """A function that makes a policy for a number of arms, or for their names."""

    __name__: str

    def __call__(
        self,
        n_arms: int | Sequence[ArmName],
        *args: Parameters.args,
        **keywords: Parameters.kwargs,
    ) -> Policy:
        """Return an unplayed policy."""


def named_policy(
    make: Callable[Concatenate[int, Parameters], Policy],
) -> NamedPolicy[Parameters]:
    """Return a function that makes a policy which remembers by what call it was made.

    It takes names of arms instead of their number too: ``Greedy(["hats", "shoes"])``.

    Parameters
    ----------
    make : callable
        Makes a policy. Unknown keywords are answered with the closest that it takes.

    Returns
    -------
    callable
        With the same signature and help.
    """
    signature = inspect.signature(make)
    checked = suggest_keywords(make)

    @functools.wraps(make)
    def made(*args: Any, **keywords: Any) -> Policy:
        names = None
        if not args and isinstance(keywords.get("n_arms"), list | tuple):
            args = (keywords.pop("n_arms"),)
        if args and isinstance(args[0], list | tuple):
            names, args = args[0], (len(args[0]), *args[1:])
        policy = checked(*args, **keywords)
        call = signature.bind(*args, **keywords)
        call.apply_defaults()
        if names is not None:
            policy.arms_ = ArmNames(policy.n_arms, names)
            call.arguments["n_arms"] = list(names)
        policy.made_by_ = make.__name__, dict(call.arguments)
        return policy

    return cast(NamedPolicy[Parameters], made)
