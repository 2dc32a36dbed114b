"""Saved policies."""

import json
import pickle
import zipfile

import numpy as np
import pytest

import cbkit
from cbkit import BootstrappedUCB, Greedy, MABFirst, load_policy, save_policy
from cbkit.policies.live import saving

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4))
REWARDS = (X[:, :1] > 0).astype(int)


def taught(policy):
    draws = np.random.default_rng(1)
    arms = policy.select(X, draws)
    policy.update(X, arms, REWARDS[:, 0], draws)
    return policy


def test_a_loaded_policy_goes_on_as_if_it_had_never_stopped(tmp_path):
    policy = taught(BootstrappedUCB(["a", "b", "c"], n_resamples=3, cold_start=MABFirst(a=1, b=1)))
    loaded = load_policy(save_policy(policy, tmp_path / "ucb.policy"))
    draws = [policy.select(X, np.random.default_rng(2)), loaded.select(X, np.random.default_rng(2))]
    assert draws[0].tolist() == draws[1].tolist()
    assert loaded.arm_names == ("a", "b", "c")


def test_decisions_that_wait_are_saved(tmp_path):
    policy, draws = Greedy(3), np.random.default_rng(0)
    early, late = policy.select(X[:2], draws, return_decisions=True)
    policy.update([early], [1], draws)
    loaded = load_policy(save_policy(policy, tmp_path / "greedy.policy"))
    assert [decision.id for decision in loaded.pending] == [late.id]
    loaded.update([late.id], [0], draws)
    assert loaded.pending == []
    assert loaded.history_.negatives[late.arm] == 1


def test_another_version_is_refused_in_words(tmp_path, monkeypatch):
    path = save_policy(Greedy(3), tmp_path / "greedy.policy")
    monkeypatch.setattr(saving, "RESULT_VERSION", saving.RESULT_VERSION + 1)
    with pytest.raises(ValueError, match=f"saved by cbkit {cbkit.__version__}, version .* this is"):
        load_policy(path)


def test_every_damaged_byte_is_noticed_or_does_no_harm(tmp_path):
    path = save_policy(taught(Greedy(3)), tmp_path / "greedy.policy")
    whole, expected = path.read_bytes(), load_policy(path).scores(X[:5])
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        try:
            loaded = load_policy(path)
        except ValueError:
            continue
        np.testing.assert_array_equal(loaded.scores(X[:5]), expected)


@pytest.mark.parametrize("content", [b"", b"not a zip", pickle.dumps(1)])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="not a policy that was saved whole"):
        load_policy(path)


@pytest.mark.parametrize("about", [[], {"format": "other"}])
def test_other_archives_are_refused(tmp_path, about):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("about.json", json.dumps(about))
        file.writestr("policy.pickle", b"")
    with pytest.raises(ValueError, match="not a saved policy"):
        load_policy(path)


def test_a_file_is_replaced_when_the_new_one_is_whole(tmp_path):
    path = save_policy(Greedy(3), tmp_path / "greedy.policy")
    before = path.read_bytes()
    broken = Greedy(3)
    broken.chooser.unpicklable = lambda: None
    with pytest.raises(Exception, match="pickle"):
        save_policy(broken, path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["greedy.policy"]
