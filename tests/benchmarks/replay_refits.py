"""Replay recorded refits of real runs, to compare two checkouts' solvers in time and outcome.

Run by a person, not collected by pytest. Record once (about ten minutes; data sets as for the
package), then replay in two checkouts, one of which may be this one::

    python tests/benchmarks/replay_refits.py record recordings
    python tests/benchmarks/replay_refits.py replay recordings --old ../before --new .

Each recording is one run of a policy: the rows that it played, their arms and rewards, and the
order of its refits. Both checkouts refit the same histories with the same weights, each starting
from its own last solutions as it would in that run. They take turns in short stretches, and of
each stretch the fastest repetition counts, so that a busy machine slows both alike. Printed are
the CPU seconds in refits, the largest difference of the probabilities of every seventh refit on
200 contexts, and by how much the objective of the new solver lies above the old one's at most.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.special import expit

ROUNDS = {
    "bibtex": 7395,
    "delicious": 4000,
    "mediamill-2000": 2000,
    "mediamill-like": 5000,
    "corel5k": 4000,
    "tmc2007": 4000,
    "yeast": 2417,
}
POLICIES = ("one", "kept", "fresh")
N_STRETCHES = 20
CHECK_EVERY = 7  # refits, whose outcomes are compared


def resampling_of(policy: str):
    """Return what weights the refits: None for one model per arm."""
    from cbkit import Resampling

    if policy == "one":
        return None
    kept = policy == "kept"
    return Resampling(kind="gamma(1,1)" if kept else "multinomial", kept=kept)


def record(folder: Path, sets: list[str], seed: int) -> None:
    """Play each set by Greedy and by BootstrappedUCB of kept and of fresh weights."""
    from cbkit import BootstrappedUCB, Greedy, LogisticOracle, Smoothing, load_dataset, simulate

    folder.mkdir(parents=True, exist_ok=True)
    for name in sets:
        for policy in POLICIES:
            path = folder / f"{name}.{policy}.npz"
            if path.exists():
                continue
            refits: list[tuple[int, int]] = []

            class Recorder(LogisticOracle):
                def learn(self, arm, X, rewards, rng, refits=refits):
                    refits.append((arm, len(rewards)))
                    super().learn(arm, X, rewards, rng)

            data = load_dataset(name)
            common = {"oracle": Recorder(), "cold_start": Smoothing(a=1, b=2)}
            if resampling := resampling_of(policy):
                weights = {"weights": resampling.kind, "kept": resampling.kept}
                player = BootstrappedUCB(data.n_arms, **weights, **common)
            else:
                player = Greedy(data.n_arms, **common)
            log = simulate(player, data, seed=seed, n_rounds=ROUNDS[name], progress=False)
            X = data.features[log.rounds["row"].to_numpy()]
            dense = {"X": X} if not sparse.issparse(X) else {}
            if not dense:
                dense = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
            played = {key: log.rounds[key].to_numpy() for key in ("arm", "reward")}
            np.savez_compressed(path, refits=np.array(refits), **dense, **played)
            print(f"{path.name}: {len(refits)} refits", flush=True)


def refits_of(refits: np.ndarray, every: int) -> np.ndarray:
    """Return the refits of every so-many-th arm alone, whose starts need no other arm."""
    return refits[np.isin(refits[:, 0], np.unique(refits[:, 0])[::every])]


class Recording:
    """One run's refits, from its file."""

    def __init__(self, path: Path, every: int) -> None:
        with np.load(path) as file:
            parts = dict(file)
        if "X" not in parts:
            entries = parts["data"], parts["indices"], parts["indptr"]
            parts["X"] = sparse.csr_array(entries, shape=parts["shape"])
        self.refits = refits_of(parts["refits"], every)
        self.probe = parts["X"][:200]
        self.histories = {}
        for arm in np.unique(self.refits[:, 0]).tolist():
            rows = np.flatnonzero(parts["arm"] == arm)
            self.histories[arm] = parts["X"][rows], parts["reward"][rows].astype(float)

    def __iter__(self) -> Iterator[tuple[int, object, np.ndarray]]:
        for arm, n in self.refits.tolist():
            X, rewards = self.histories[arm]
            yield arm, X[:n], rewards[:n]


def work(path: Path, out: Path, every: int) -> None:
    """Refit in the checkout that is imported; one line of input is one stretch."""
    import warnings

    from cbkit import LogisticOracle

    warnings.simplefilter("ignore")
    recording = Recording(path, every)
    resampling = resampling_of(path.stem.split(".")[-1])
    oracle, kept = LogisticOracle(resampling=resampling), {}
    refits, done = enumerate(recording), 0
    probabilities, objectives = [], []
    for line in sys.stdin:
        seconds = 0.0
        for _ in range(int(line)):
            done, (arm, X, rewards) = next(refits)
            began = time.process_time()
            oracle.learn(arm, X, rewards, np.random.default_rng(done))
            seconds += time.process_time() - began
            weights = np.ones((len(rewards), 1))
            if resampling:
                rng = np.random.default_rng(done)
                weights = resampling.update(kept.get(arm), len(rewards), rng)
                if resampling.kept:
                    kept[arm] = weights
            if done % CHECK_EVERY == 0:
                coef, intercept = oracle.coefficients_.get(arm)
                probabilities.append(expit(recording.probe @ coef + intercept))
                logits = X @ coef + intercept
                loss = np.logaddexp(0, logits) - rewards[:, None] * logits
                objectives.append((weights * loss).sum(axis=0) + 0.5 * (coef**2).sum(axis=0))
        print(seconds, flush=True)
    np.savez(out, probabilities=np.array(probabilities), objectives=np.array(objectives))


def replay(
    path: Path, checkouts: list[Path], repeats: int, every: int
) -> tuple[np.ndarray, list[dict]]:
    """Return CPU seconds and outcomes of the checkouts on one recording."""
    with np.load(path) as file:
        n_refits = len(refits_of(file["refits"], every))
    stretches = np.diff(np.linspace(0, n_refits, N_STRETCHES + 1).astype(int))
    seconds = np.full((len(checkouts), len(stretches)), np.inf)
    outcomes = []
    with tempfile.TemporaryDirectory() as scratch:
        for repeat in range(repeats):
            outs = [Path(scratch) / f"{i}.npz" for i in range(len(checkouts))]
            workers = [start(path, every, *pair) for pair in zip(checkouts, outs, strict=True)]
            for at, stretch in enumerate(stretches):
                turns = list(enumerate(workers))
                for which, worker in turns if (at + repeat) % 2 else turns[::-1]:
                    worker.stdin.write(f"{stretch}\n")
                    worker.stdin.flush()
                    took = float(worker.stdout.readline())
                    seconds[which, at] = min(seconds[which, at], took)
            for worker in workers:
                worker.stdin.close()
                if worker.wait():
                    raise SystemExit(f"a worker failed on {path.name}")
            outcomes = [dict(np.load(out)) for out in outs]
    return seconds.sum(axis=1), outcomes


def start(path: Path, every: int, checkout: Path, out: Path) -> subprocess.Popen:
    """Start a process that imports the package from `checkout`."""
    one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    return subprocess.Popen(
        [sys.executable, __file__, "work", str(path), str(out), str(every)],
        env={**os.environ, **one_thread, "PYTHONPATH": str(checkout.resolve())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def compare(folder: Path, old: Path, new: Path, names: list[str], repeats: int, every: int) -> None:
    """Print one line per recording, and the total time per set."""
    header = f"{'recording':24} {'old s':>8} {'new s':>8} {'ratio':>6}"
    print(f"{header} {'probability':>12} {'objective':>10}", flush=True)
    totals: dict[str, np.ndarray] = {}
    for path in sorted(folder.glob("*.npz")):
        if names and not any(f"{path.stem}.".startswith(f"{name}.") for name in names):
            continue
        seconds, (before, after) = replay(path, [old, new], repeats, every)
        apart = np.abs(before["probabilities"] - after["probabilities"]).max()
        gap = (after["objectives"] - before["objectives"]).max()
        print_line(path.stem, seconds, f"{apart:12.1e} {gap:10.1e}")
        data_set = path.stem.split(".")[0]
        totals[data_set] = totals.get(data_set, 0.0) + seconds
    for data_set, seconds in totals.items():
        print_line(data_set, seconds, "in all")


def print_line(name: str, seconds: np.ndarray, rest: str) -> None:
    """Print both times and their ratio."""
    old, new = seconds
    print(f"{name:24} {old:8.2f} {new:8.2f} {new / old:6.2f} {rest}", flush=True)


def main() -> None:
    """Run what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recorder = commands.add_parser("record", help="play the runs and record their refits")
    recorder.add_argument("folder", type=Path)
    recorder.add_argument("--sets", nargs="+", choices=ROUNDS, default=list(ROUNDS))
    recorder.add_argument("--seed", type=int, default=0)
    replayer = commands.add_parser("replay", help="time two checkouts on the recordings")
    replayer.add_argument("folder", type=Path)
    replayer.add_argument("--old", type=Path, required=True)
    replayer.add_argument("--new", type=Path, required=True)
    replayer.add_argument("--only", nargs="+", default=[], help="sets, or set.policy")
    replayer.add_argument("--repeats", type=int, default=2)
    replayer.add_argument("--every", type=int, default=1, help="replay every so-many-th arm alone")
    worker = commands.add_parser("work")
    worker.add_argument("path", type=Path)
    worker.add_argument("out", type=Path)
    worker.add_argument("every", type=int)
    given = parser.parse_args()
    if given.command == "record":
        record(given.folder, given.sets, given.seed)
    elif given.command == "replay":
        picked = given.only, given.repeats, given.every
        compare(given.folder, given.old, given.new, *picked)
    else:
        work(given.path, given.out, given.every)


if __name__ == "__main__":
    main()
