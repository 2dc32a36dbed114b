"""Fixtures for all tests: a cache of their own, and the real data sets where they are offered."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cbkit.datasets import MultilabelDataset, load_dataset, where_is


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests away from the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CBKIT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def real_dataset() -> Callable[[str], MultilabelDataset]:
    """Load a real data set, or skip the test if no folder of CBKIT_DATA offers it."""

    def load(name: str) -> MultilabelDataset:
        if where_is(name) != "folder":
            pytest.skip(f"no folder of CBKIT_DATA offers {name}")
        return load_dataset(name)

    return load


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write text or bytes to a file of the test's own folder, and give its path."""

    def write(content: str | bytes, name: str = "data.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
