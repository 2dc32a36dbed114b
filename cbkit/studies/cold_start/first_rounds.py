"""How a cold start spreads the first rounds over the arms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.policies.registry import make_policy
from cbkit.simulate import simulate

N_MARKS = 100  # points of each curve


def arms_tried_curves(
    dataset: MultilabelDataset,
    cold_starts: Mapping[str, Any],
    *,
    policy: str = "Greedy",
    n_rounds: int,
    n_replicates: int,
    refit_every: int = 50,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute the share of arms that a policy has played so far, under several cold starts.

    Parameters
    ----------
    dataset : MultilabelDataset
    cold_starts : mapping of str to cold start
        Label to what `make_policy` takes as ``cold_start``.
    policy : str, default="Greedy"
        Registry name.
    n_rounds, n_replicates, refit_every, seed : int
        As for `cbkit.Experiment`: replicate r has the seed ``seed + r``.

    Returns
    -------
    DataFrame
        ``policy`` (the label of the cold start), ``seed``, ``round``, ``arms_tried`` as a share of
        all arms.

    Examples
    --------
    >>> from cbkit import load_dataset
    >>> curves = arms_tried_curves(
    ...     load_dataset("digits"), {"no cold start": None}, n_rounds=10, n_replicates=1
    ... )
    >>> float(curves["arms_tried"].iloc[0])      # the first of ten arms
    0.1
    """
    n_rounds = min(n_rounds, dataset.n_rows)
    marks = np.unique(np.ceil(np.arange(1, N_MARKS + 1) * n_rounds / N_MARKS).astype(int))
    parts = []
    for label, cold_start in cold_starts.items():
        for run in range(seed, seed + n_replicates):
            player = make_policy(policy, dataset, cold_start=cold_start)
            log = simulate(player, dataset, seed=run, n_rounds=n_rounds, refit_every=refit_every)
            first_rounds = log.rounds.drop_duplicates("arm")["round"]
            tried = np.searchsorted(first_rounds, marks, side="right") / dataset.n_arms
            columns = {"policy": label, "seed": run, "round": marks, "arms_tried": tried}
            parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)
