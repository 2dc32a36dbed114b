"""A policy behind HTTP, with Python's standard library: decisions, rewards, snapshots."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from cbkit.policies.live.saving import load_policy, save_policy
from cbkit.policies.policy import Policy


def n_calls(policy: Policy) -> int:
    """Return how many choices and rewards a policy has seen, which tells snapshots apart."""
    history = policy.history_
    return int(policy.n_choices_ + history.positives.sum() + history.negatives.sum())


class PolicyServer(ThreadingHTTPServer):
    """Answers ``/decide`` and ``/reward`` on loopback, one call after the other.

    ``{"context": [...]}`` gets the decision's ``id`` and its ``arm``; ``{"id": ..., "reward": 1}``
    is that decision's reward, sooner or later. Each answer has the number of the ``call``, and
    that of the last call that is ``saved``: these, and no others, outlive the process. What a
    policy refuses is answered with 400 and its words.

    Parameters
    ----------
    policy : Policy
        Fresh or loaded.
    path : Path
        Where snapshots go, which `load_policy` reads.
    save_every : int, default=500
        Calls between snapshots.
    port : int, default=0
        Loopback port; 0 takes a free one.

    Notes
    -----
    Decisions have numbers drawn at random, so the generator is a fresh one in each process: one
    that was saved with the policy would give numbers again that a lost process has given away.
    """

    def __init__(self, policy: Policy, path: Path, *, save_every: int = 500, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.policy, self.path, self.save_every = policy, path, save_every
        self.saved, self.rng, self.lock = n_calls(policy), np.random.default_rng(), threading.Lock()

    def decide(self, context: list[float]) -> dict[str, Any]:
        """Choose an arm for a context."""
        [decision] = self.policy.select([context], self.rng, return_decisions=True)
        return {"id": str(decision.id), "arm": decision.arm}  # 63 bits: text for JavaScript

    def reward(self, id: str, reward: int) -> dict[str, Any]:
        """Learn from the reward of a decision."""
        self.policy.update([int(id)], [reward], self.rng)
        return {}

    def answer(self, path: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer a call, and save the policy when it is time."""
        calls: dict[str, Callable[..., dict[str, Any]]]
        calls = {"/decide": self.decide, "/reward": self.reward}
        with self.lock:
            answer = calls[path](**asked)
            call = n_calls(self.policy)
            if call - self.saved >= self.save_every:
                save_policy(self.policy, self.path)
                self.saved = call
            return answer | {"call": call, "saved": self.saved}


class Handler(BaseHTTPRequestHandler):
    """Reads a call's JSON and writes the answer's."""

    protocol_version = "HTTP/1.1"  # connections are kept
    wbufsize = -1  # head and body leave together: apart, the second waits for the first's receipt
    server: PolicyServer

    def do_POST(self) -> None:
        """Answer a call, with 400 and the reason if it does not fit."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, answer = 200, self.server.answer(self.path, json.loads(body))
        except (ValueError, TypeError, KeyError) as error:
            status, answer = 400, {"error": str(error)}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: a line per call would be most of the work."""


def main(path: str, save_every: str) -> None:
    """Serve the policy saved at `path`, and print the port."""
    server = PolicyServer(load_policy(path), Path(path), save_every=int(save_every))
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
