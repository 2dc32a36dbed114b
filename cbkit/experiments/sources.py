"""Where the processes of an experiment get its data sets from, and how they know the right one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cbkit.datasets.load import load_dataset
from cbkit.datasets.multilabel import MultilabelDataset
from cbkit.datasets.parsed_cache import read_copy, write_copy
from cbkit.experiments.fingerprint import fingerprint

N_LOADED = 8  # data sets that a process keeps in memory

Spec = str | Callable[[], MultilabelDataset] | MultilabelDataset
_loaded: dict[str, MultilabelDataset] = {}


@dataclass(frozen=True, kw_only=True)
class Source:
    """What gives a data set, and what that must be.

    Attributes
    ----------
    spec : str, callable, MultilabelDataset or Path
        Name of the data set, a function that makes it, the set itself, or a file with a copy.
    key : str
        Fingerprint of the name, of the function with all of its code, or of the set.
    checksum, layout : str
        Of the data that the experiment was planned with.
    """

    spec: Spec | Path
    key: str
    checksum: str
    layout: str

    @classmethod
    def planned(cls, spec: Spec) -> Source:
        """Return the source of a data set that is loaded now, whatever was loaded before."""
        key = fingerprint(spec)
        dataset = _remember(key, _made(spec))
        return cls(spec=spec, key=key, checksum=dataset.checksum, layout=dataset.layout)

    def load(self) -> MultilabelDataset:
        """Return the data set, from memory if this process had it before.

        Raises
        ------
        ValueError
            If it is not the one that the experiment was planned with.
        """
        if self._is_right(_loaded.get(self.key)):
            return _loaded[self.key]
        dataset = _made(self.spec)
        if not self._is_right(dataset):
            raise ValueError(
                f"{dataset.name} is {dataset.layout} with the checksum {dataset.checksum} here, "
                f"and {self.layout} with {self.checksum} where the experiment was planned; give "
                "every worker the same data"
            )
        return _remember(self.key, dataset)

    def shared(self, folder: Path) -> Source:
        """Return a source that is small to send: a set that stands for itself goes into a file."""
        if not isinstance(self.spec, MultilabelDataset):
            return self
        path = folder / f"{self.key}.npz"
        write_copy(path, self.spec)
        return replace(self, spec=path)

    def _is_right(self, dataset: MultilabelDataset | None) -> bool:
        return dataset is not None and (
            (dataset.checksum, dataset.layout) == (self.checksum, self.layout)
        )


def _made(spec: Spec | Path) -> MultilabelDataset:
    if isinstance(spec, MultilabelDataset):
        return spec
    if isinstance(spec, Path):
        dataset = read_copy(spec)
        if dataset is None:
            raise ValueError(f"{spec} is damaged or gone; all workers must share its folder")
        return dataset
    dataset = load_dataset(spec) if isinstance(spec, str) else spec()
    if not isinstance(dataset, MultilabelDataset):
        raise ValueError(
            f"{spec!r} must make a MultilabelDataset, got {type(dataset).__name__}; write "
            "MultilabelDataset.from_arrays(X, labels)"
        )
    return dataset


def _remember(key: str, dataset: MultilabelDataset) -> MultilabelDataset:
    _loaded.pop(key, None)
    while len(_loaded) >= N_LOADED:
        del _loaded[next(iter(_loaded))]
    _loaded[key] = dataset
    return dataset
