"""The Open Bandit Dataset's layout: clicks on fashion items, logged by two policies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder

from cbkit.datasets.manifest import logged_entries
from cbkit.datasets.sources import DatasetAbsentError, explain_absence, find
from cbkit.off_policy.frames import log_from_frame
from cbkit.off_policy.logged_rounds import LoggedRounds

POLICIES = ("random", "bts")
CAMPAIGNS = ("men", "women")
N_POSITIONS = 3
_USER = [f"user_feature_{number}" for number in range(4)]


def load_open_bandit(policy: str, campaign: str) -> LoggedRounds:
    """Load a log of the Open Bandit Dataset's public sample.

    Looked for in the folders of CBKIT_DATA and in the cache that ``python -m cbkit fetch obd``
    fills.

    Parameters
    ----------
    policy : {"random", "bts"}
        Uniformly random, or Bernoulli Thompson sampling, which ignores contexts.
    campaign : {"men", "women"}
        Which items.

    Returns
    -------
    LoggedRounds
        10,000 rounds. A context is the position on the page (three columns) and the user's four
        features, one column per value. Propensities are given the position. Rounds of one
        timestamp are a page.

    Notes
    -----
    Saito, Aihara, Matsutani, Narita (2021), Open Bandit Dataset and Pipeline.
    """
    for kind, value, known in (("policy", policy, POLICIES), ("campaign", campaign, CAMPAIGNS)):
        if value not in known:
            raise ValueError(f"{kind} must be {' or '.join(known)}, got {value!r}")
    entry = logged_entries()["obd"]
    place = find(entry)
    if place is None:
        raise DatasetAbsentError(explain_absence(entry))
    return read_open_bandit(place.folder / policy / campaign)


def read_open_bandit(folder: Path | str) -> LoggedRounds:
    """Read a folder of the layout ``POLICY/CAMPAIGN``, with the log and ``item_context.csv``.

    Parameters
    ----------
    folder : path
        Its last part is the campaign, which the log is called by: ``men/men.csv``.

    Returns
    -------
    LoggedRounds
        See `load_open_bandit`.
    """
    folder = Path(folder)
    file = folder / f"{folder.name}.csv"
    for needed in (file, folder / "item_context.csv"):
        if not needed.is_file():
            raise ValueError(f"{folder} is no Open Bandit log: it has no {needed.name}")
    frame = pd.read_csv(file, index_col=0)
    n_items = len(pd.read_csv(folder / "item_context.csv", usecols=["item_id"]))
    categories = [list(range(1, N_POSITIONS + 1))]
    categories += [sorted(frame[column].unique()) for column in _USER if column in frame]
    try:
        return log_from_frame(
            frame,
            arm="item_id",
            reward="click",
            propensity="propensity_score",
            contexts=["position", *_USER],
            n_arms=n_items,
            transformer=OneHotEncoder(categories=categories, sparse_output=False),
            page="timestamp",
            name=f"Open Bandit {folder.parent.name}/{folder.name}",
        )
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error


def positions(log: LoggedRounds) -> np.ndarray:
    """Return each round's position on the page, 0 to 2, shape (n_rounds,)."""
    return np.asarray(log.X[:, :N_POSITIONS]).argmax(axis=1)


def shown_shares(log: LoggedRounds) -> np.ndarray:
    """Return how often each item was shown in each position, shape (3, n_arms); rows sum to 1.

    For a policy that ignores contexts, such as Thompson sampling without them, this estimates its
    probabilities, averaged over the time of the log.
    """
    counts = np.zeros((N_POSITIONS, log.n_arms))
    np.add.at(counts, (positions(log), log.arms), 1.0)
    return counts / counts.sum(axis=1, keepdims=True)
