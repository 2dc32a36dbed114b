"""The Open Bandit layout: a planted folder, and the real sample where it is at hand."""

import numpy as np
import pandas as pd
import pytest

from cbkit.datasets import DatasetAbsentError
from cbkit.datasets.manifest import logged_entries
from cbkit.datasets.sources import find
from cbkit.off_policy.open_bandit import (
    load_open_bandit,
    positions,
    read_open_bandit,
    shown_shares,
)


@pytest.fixture
def folder(tmp_path):
    """A log of 4 rounds of 3 items, in the layout of the published files."""
    place = tmp_path / "random" / "men"
    place.mkdir(parents=True)
    frame = pd.DataFrame(
        {
            "timestamp": ["t1", "t1", "t2", "t3"],
            "item_id": [2, 0, 1, 2],
            "position": [1, 3, 1, 2],
            "click": [0, 1, 0, 0],
            "propensity_score": [1 / 3] * 4,
        }
        | {f"user_feature_{number}": ["a", "b", "a", "a"] for number in range(4)}
    )
    frame.to_csv(place / "men.csv")
    pd.DataFrame({"item_id": [0, 1, 2]}).to_csv(place / "item_context.csv")
    return place


def test_the_layout_is_read(folder):
    log = read_open_bandit(folder)
    assert log.n_arms == 3
    assert log.arms.tolist() == [2, 0, 1, 2]
    assert log.X.shape == (4, 3 + 4 * 2)
    assert positions(log).tolist() == [0, 2, 0, 1]
    assert log.pages.tolist() == [0, 0, 1, 2]
    assert shown_shares(log).tolist() == [[0, 0.5, 0.5], [0, 0, 1], [1, 0, 0]]


def test_faults_are_told_with_file_and_row(folder):
    file = folder / "men.csv"
    frame = pd.read_csv(file, index_col=0)
    frame.loc[2, "propensity_score"] = 0
    frame.to_csv(file)
    with pytest.raises(ValueError, match=r"men\.csv: propensities must be greater.*row 2"):
        read_open_bandit(folder)
    frame.drop(columns="click").to_csv(file)
    with pytest.raises(ValueError, match=r"men\.csv: the frame has no column 'click'"):
        read_open_bandit(folder)
    (folder / "item_context.csv").unlink()
    with pytest.raises(ValueError, match=r"has no item_context\.csv"):
        read_open_bandit(folder)


def test_unknown_logs_and_absent_files_are_told(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match="campaign must be men or women, got 'all'"):
        load_open_bandit("random", "all")
    monkeypatch.setenv("CBKIT_CACHE", str(tmp_path))
    monkeypatch.delenv("CBKIT_DATA", raising=False)
    with pytest.raises(DatasetAbsentError, match=r"fetch obd[\s\S]*planted_log"):
        load_open_bandit("random", "men")


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("policy", "campaign", "n_items", "clicks"),
    [
        ("random", "men", 34, 46),
        ("random", "women", 46, 46),
        ("bts", "men", 34, 69),
        ("bts", "women", 46, 46),
    ],
)
def test_the_real_logs_are_the_published_ones(policy, campaign, n_items, clicks):
    if (place := find(logged_entries()["obd"])) is None or place.where != "folder":
        pytest.skip("no folder of CBKIT_DATA offers obd")
    log = load_open_bandit(policy, campaign)
    assert (log.n_rounds, log.n_arms, log.rewards.sum()) == (10_000, n_items, clicks)
    if policy == "random":
        assert log.propensities == pytest.approx(np.full(10_000, 1 / n_items))
