"""Clients of a policy's service: one connection, and visitors who are rewarded later or never."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import numpy as np


class Client:
    """Calls a service on loopback over one connection.

    Parameters
    ----------
    port : int
        The service's.
    """

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def call(self, path: str, **asked: Any) -> dict[str, Any]:
        """Return the answer to a call.

        Raises
        ------
        ValueError
            If the service refuses it, with its words.
        """
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", path, json.dumps(asked).encode(), headers)
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 200:
            raise ValueError(answer["error"])
        return answer


def visit(port: int, n_visitors: int, seed: int, wait: int = 20) -> Iterator[dict[str, Any]]:
    """Yield the answers to visitors who are decided on at once and rewarded `wait` visitors later.

    Parameters
    ----------
    port : int
        The service's.
    n_visitors : int
        Number of decisions; the rewards of the last `wait` never come.
    seed : int
        Of the visitors' contexts and rewards: arm k is liked where feature k is positive.
    wait : int, default=20
        How many visitors later a reward comes.

    Yields
    ------
    dict
        The service's answer, with the ``path`` that was called and the decision's ``id``.
    """
    rng, client, waiting = np.random.default_rng(seed), Client(port), []
    for _ in range(n_visitors):
        context = rng.normal(size=3).round(3)
        answer = client.call("/decide", context=context.tolist())
        yield answer | {"path": "/decide"}
        waiting.append((answer["id"], int(context[answer["arm"]] > 0)))
        if len(waiting) > wait:
            number, reward = waiting.pop(0)
            answer = client.call("/reward", id=number, reward=reward)
            yield answer | {"path": "/reward", "id": number, "reward": reward}
