"""Published sets read from folders, and the parsed copies in the cache."""

import os
import shutil

import numpy as np
import pytest
from scipy import sparse

from cbkit.datasets import (
    MultilabelDataset,
    dataset_table,
    load_dataset,
    paper_table,
    parsed_cache,
    published,
    where_is,
)
from cbkit.datasets.manifest import entries
from cbkit.datasets.sources import offered_folders
from cbkit.paths import cache_dir


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """A folder offered by CBKIT_DATA, and an empty cache."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("CBKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(
        "CBKIT_DATA", os.pathsep.join(["", str(tmp_path / "gone"), str(tmp_path / "data")])
    )
    return tmp_path / "data"


def write_small_mediamill(folder, n_rows=12):
    """Write files of the names of MediaMill 2000, with few rows and the right columns."""
    folder.mkdir(exist_ok=True)
    names = [f"Class{j}" for j in range(1, 102)]
    header = "@relation m\n" + "".join(f"@attribute Att{j} numeric\n" for j in range(120))
    header += "".join(f"@attribute {name} {{0,1}}\n" for name in names) + "@data\n"
    for part in ("train", "test"):
        rows = np.random.default_rng(0).integers(0, 2, size=(n_rows // 2, 221))
        body = "".join(",".join(map(str, row)) + "\n" for row in rows)
        (folder / f"mediamill-{part}.arff").write_text(header + body)
    labels = "".join(f'<label name="{name}"/>' for name in names)
    (folder / "mediamill.xml").write_text(f"<labels>{labels}</labels>")


@pytest.mark.parametrize("subfolder", ["", "mediamill-2000"])
def test_files_lie_in_a_folder_or_in_a_subfolder_of_the_name(own_folder, subfolder):
    write_small_mediamill(own_folder / subfolder, n_rows=2000)
    assert where_is("mediamill-2000") == "folder"
    data = load_dataset("mediamill-2000")
    assert (data.n_rows, data.n_features, data.n_arms) == (2000, 120, 101)
    assert "mediamill-train.arff differs from the pinned file" in data.provenance


def test_an_incomplete_folder_does_not_count(own_folder):
    write_small_mediamill(own_folder)
    (own_folder / "mediamill.xml").unlink()
    assert where_is("mediamill-2000") == "absent"


def test_other_data_under_the_name_is_refused_and_shown_as_damaged(own_folder):
    write_small_mediamill(own_folder)
    with pytest.raises(ValueError, match=r"have 12 rows, .* but 'mediamill-2000' has 2000 rows"):
        load_dataset("mediamill-2000")
    assert dataset_table().loc["mediamill-2000", "where"] == "damaged"


def test_a_parsed_copy_is_used_until_the_source_changes(own_folder, monkeypatch):
    write_small_mediamill(own_folder, n_rows=2000)
    first = load_dataset("mediamill-2000")
    monkeypatch.setattr(published, "read_arff", lambda *_: pytest.fail("read again"))
    assert load_dataset("mediamill-2000").checksum == first.checksum
    with open(own_folder / "mediamill-train.arff", "a") as file:
        file.write("% changed\n")
    with pytest.raises(pytest.fail.Exception, match="read again"):
        load_dataset("mediamill-2000")


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "other"])
def test_a_damaged_parsed_copy_is_made_again(own_folder, damage):
    write_small_mediamill(own_folder, n_rows=2000)
    first = load_dataset("mediamill-2000")
    [stored] = (cache_dir() / "parsed").iterdir()
    content = stored.read_bytes()
    middle = len(content) // 2
    stored.write_bytes(
        {
            "truncate": content[:middle],
            "flip": content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :],
            "empty": b"",
            "other": b"PK\x03\x04 not an archive",
        }[damage]
    )
    again = load_dataset("mediamill-2000")
    assert (again.checksum, again.provenance) == (first.checksum, first.provenance)
    assert len(stored.read_bytes()) == len(content)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_stored_copy_is_the_same_dataset(own_folder, convert):
    data = MultilabelDataset.from_arrays(
        convert(np.eye(3)), np.eye(3), arm_names=["\u00e4", "b", "c"], name="n"
    )
    parsed_cache.load_or_make("key", lambda: data)
    copy = parsed_cache.load_or_make("key", lambda: pytest.fail("made again"))
    assert (copy.checksum, copy.name, copy.provenance) == (data.checksum, data.name, "user")
    assert type(copy.features) is type(data.features)
    assert [path.name for path in (cache_dir() / "parsed").iterdir()] == ["key.npz"]


def test_a_cache_that_cannot_be_written_to_is_no_error(own_folder, monkeypatch):
    (own_folder / "file").write_text("")
    monkeypatch.setenv("CBKIT_CACHE", str(own_folder / "file"))
    assert load_dataset("demo").n_rows == 3000


@pytest.mark.realdata
@pytest.mark.parametrize(
    "name", ["bibtex", "delicious", "mediamill", "mediamill-reduced", "eurlex"]
)
def test_the_real_set_matches_the_paper(real_dataset, name):
    row, printed = real_dataset(name).describe(), paper_table().loc[name]
    if name in ("bibtex", "delicious"):
        assert row.round(2).to_dict() == printed.to_dict()
    else:
        assert row.to_dict() == pytest.approx(printed.to_dict(), rel=0.01)


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "labels_per_row", "most_common"),
    [
        ("tmc2007", 2.16, 56.56),
        ("corel5k", 3.52, 22.40),
        ("enron", 3.38, 53.64),
        ("yeast", 4.24, 75.13),
        ("medical", 1.25, 27.20),
    ],
)
def test_a_real_set_beyond_the_paper_has_its_published_statistics(
    real_dataset, name, labels_per_row, most_common
):
    row = real_dataset(name).describe().round(2)
    assert (row["labels_per_observation"], row["most_common_label_pct"]) == (
        labels_per_row,
        most_common,
    )


@pytest.mark.realdata
def test_the_real_set_has_the_known_peculiarities(real_dataset):
    assert (real_dataset("delicious").labels.sum(axis=1) == 0).sum() == 14
    small = real_dataset("mediamill-2000")
    assert (small.arm_counts > 0).sum() == 96
    assert small.describe()["most_common_label_pct"] == pytest.approx(77.10)


@pytest.mark.realdata
def test_the_real_files_are_the_pinned_ones(real_dataset, tmp_path, monkeypatch):
    for name in ("bibtex", "delicious", "mediamill-2000"):
        assert "differs" not in real_dataset(name).provenance
    folder = next(place for place in offered_folders() if (place / "bibtex.arff").exists())
    monkeypatch.setenv("CBKIT_CACHE", str(tmp_path))
    monkeypatch.delenv("CBKIT_DATA")
    target = tmp_path / "sources" / "bibtex"
    target.mkdir(parents=True)
    for file in entries()["bibtex"].files:
        shutil.copy(folder / file, target / file)
    assert where_is("bibtex") == "cache"
    assert load_dataset("bibtex").n_rows == 7395
