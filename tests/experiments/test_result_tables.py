"""data/README.md says of every committed table how it came about, and says it rightly."""

import re
from fnmatch import fnmatch

import pandas as pd
import pytest
import yaml

from cbkit.paths import notebooks_dir, project_root, results_dir

README = (project_root() / "data" / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("## Result tables") :]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in SECTION.splitlines()
    if line.startswith("| `")
]
PATTERNS = [name for row in ROWS for name in re.findall(r"`([^`]+)`", row[0]) if len(row) == 5]
STUDY = "B_cold_start_and_many_arms"
EXTENTS = {row[0].split("`")[1]: row[1:] for row in ROWS if re.match(r"(all|first) ", row[1])}


def test_every_table_is_named_and_every_name_is_a_table():
    tables = [path.stem for path in results_dir().iterdir()]
    unnamed = [name for name in tables if not any(fnmatch(name, p) for p in PATTERNS)]
    assert unnamed == []
    sets = set(EXTENTS)
    assert [p for p in PATTERNS if p not in sets and not any(fnmatch(n, p) for n in tables)] == []


@pytest.mark.parametrize("name", ["cold_start_grid", "many_arms", "exclusive_rewards"])
def test_rounds_and_replicates_of_the_cold_starts_are_as_said_and_as_the_profile_has_them(name):
    table = pd.read_csv(results_dir() / f"{name}.csv")
    source = table["dataset"].str.partition("[")[0]
    profile = yaml.safe_load((notebooks_dir() / "params" / "paper.yaml").read_text())[STUDY]
    sizes = {entry["dataset"]: (entry["n_rounds"], entry["n_replicates"]) for entry in profile}
    assert set(source) <= set(EXTENTS) == set(sizes)
    for dataset, runs in table.groupby(source):
        rounds, replicates, _, _ = EXTENTS[dataset]
        extent, n_rounds = rounds.split(" ")
        n_rounds = int(n_rounds.replace(",", ""))
        assert set(runs["n_rounds"]) == {n_rounds}, dataset
        assert runs["seed"].nunique() == int(replicates), dataset
        assert sizes[dataset] == (0 if extent == "all" else n_rounds, int(replicates)), dataset
