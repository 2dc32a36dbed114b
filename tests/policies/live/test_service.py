"""The service of notebook 09 under load: clients of four processes, a kill in the middle."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import pytest

from cbkit import Greedy, MABFirst, load_policy, save_policy
from cbkit.studies.live.clients import Client, visit
from cbkit.studies.live.service import PolicyServer, n_calls

N_CLIENTS = 4
N_DECISIONS = int(os.environ.get("CBKIT_SERVICE_DECISIONS", 600))  # 20,000 take some minutes
SAVE_EVERY = 100


def fresh():
    policy = Greedy(3, cold_start=MABFirst(a=1, b=1, m=1))
    policy.refits = "geometric"  # a refit per reward would be most of the work
    return policy


@pytest.fixture
def served(tmp_path):
    """A service in a thread of this process, and its client."""
    server = PolicyServer(fresh(), tmp_path / "a.policy", save_every=10)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server, Client(server.server_address[1])
    server.shutdown()
    server.server_close()


def test_a_call_is_answered_and_snapshots_hold_what_they_say(served):
    server, client = served
    for _ in range(6):
        decision = client.call("/decide", context=[0.1, 0.2, 0.3])
        answer = client.call("/reward", id=decision["id"], reward=1)
    assert (answer["call"], answer["saved"]) == (12, 10)
    assert n_calls(load_policy(server.path)) == 10


def test_what_does_not_fit_is_refused_in_words_and_changes_nothing(served):
    server, client = served
    decision = client.call("/decide", context=[0.1, 0.2, 0.3])
    for path, asked, words in (
        ("/reward", {"id": "7", "reward": 1}, "no decision 7 waits for a reward"),
        ("/reward", {"id": decision["id"], "reward": 2}, "rewards must be 0 or 1"),
        ("/decide", {"context": ["a"]}, "contexts must be numbers"),
        ("/decide", {"reward": 1}, "unexpected keyword argument 'reward'"),
        ("/other", {}, "/other"),
    ):
        with pytest.raises(ValueError, match=words):
            client.call(path, **asked)
    assert n_calls(server.policy) == 1
    assert client.call("/reward", id=decision["id"], reward=1)["call"] == 2


def serve(path):
    """Start a service in a process of its own; return it and its port."""
    command = [sys.executable, "-m", "cbkit.studies.live.service", str(path), str(SAVE_EVERY)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline())


def client_process(port, n_visitors, seed, answers):
    """Visit until the service is gone, and hand over each answer as it comes."""
    try:
        for answer in visit(port, n_visitors, seed):
            answers.put(answer)
    except (OSError, EOFError):
        pass  # it was killed
    answers.put(None)


def under_load(path, first_seed, n_visitors, kill_after=None):
    """Serve the policy at `path` to all clients; return their answers, in the order of calls."""
    process, port = serve(path)
    server = multiprocessing.get_context("forkserver")  # the package is imported once
    server.set_forkserver_preload([visit.__module__])
    answers, seen, done = server.Queue(), [], 0
    clients = [
        server.Process(target=client_process, args=(port, n_visitors, seed, answers))
        for seed in range(first_seed, first_seed + N_CLIENTS)
    ]
    for client in clients:
        client.start()
    while done < N_CLIENTS:
        answer = answers.get(timeout=600)
        done += answer is None
        seen += [answer] if answer else []
        if kill_after and len(seen) == kill_after:
            os.kill(process.pid, signal.SIGKILL)
    for client in clients:
        client.join(60)
    process.kill()
    process.wait(60)
    return sorted(seen, key=lambda answer: answer["call"])


@pytest.mark.slow
def test_a_killed_service_loses_what_came_after_its_snapshot_and_decides_nothing_twice(tmp_path):
    path = save_policy(fresh(), tmp_path / "shop.policy")
    before = under_load(path, 0, N_DECISIONS // N_CLIENTS, kill_after=N_DECISIONS)
    restored = load_policy(path)
    saved = n_calls(restored)
    assert saved >= max(answer["saved"] for answer in before) >= N_DECISIONS - 2 * SAVE_EVERY

    # Kept: every call up to the snapshot, but for answers that were on their way at the kill.
    kept = [answer for answer in before if answer["call"] <= saved]
    assert saved - N_CLIENTS <= len(kept) <= saved
    rewards = [answer["reward"] for answer in kept if answer["path"] == "/reward"]
    n_rewards = int(restored.history_.positives.sum() + restored.history_.negatives.sum())
    assert len(rewards) <= n_rewards <= len(rewards) + N_CLIENTS
    assert sum(rewards) <= restored.history_.positives.sum() <= sum(rewards) + N_CLIENTS

    # Waiting: the decisions up to there that have no reward yet, by the same numbers.
    paid = {answer["id"] for answer in kept if answer["path"] == "/reward"}
    decided = {answer["id"] for answer in kept if answer["path"] == "/decide"}
    waiting = {str(decision.id) for decision in restored.pending}
    assert len(decided - paid ^ waiting) <= N_CLIENTS

    after = under_load(path, 100, N_DECISIONS // N_CLIENTS)
    assert after[0]["call"] == saved + 1
    assert [answer["call"] for answer in after] == list(range(saved + 1, saved + 1 + len(after)))
    numbers = [a["id"] for a in before + after if a["path"] == "/decide"]
    assert len(numbers) == len(set(numbers)) >= N_DECISIONS
    learned = load_policy(path)
    assert n_calls(learned) >= saved + len(after) - SAVE_EVERY
