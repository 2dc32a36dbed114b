"""The notebooks' helpers write the same table to the folder of their profile."""

import pandas as pd
import pytest

from cbkit.workbook.notebook import save_table


@pytest.mark.parametrize(
    ("profile", "folder"), [("paper", "data/results"), ("demo", "outputs/demo")]
)
def test_table_of_the_paper_profile_alone_goes_where_results_are_committed(
    profile, folder, tmp_path, monkeypatch
):
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    table = pd.DataFrame({"policy": ["Greedy"], "mean": [0.1 + 0.2]})
    path = save_table(table, "finals", notebook="02_baselines", profile=profile)
    assert path == tmp_path / folder / "02_baselines_finals.csv"
    assert path.read_text() == "policy,mean\nGreedy,0.3\n"
