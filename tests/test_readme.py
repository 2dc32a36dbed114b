"""The README's examples run as they stand."""

import re

import pytest

from cbkit import load_dataset, simulate
from cbkit.paths import project_root

README = (project_root() / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_own_data_and_classifier_take_fifteen_lines(capsys):
    lines = [line for line in EXAMPLES[0].splitlines() if line and "import " not in line]
    assert len(lines) <= 15
    namespace = {}
    exec(EXAMPLES[0], namespace)
    assert "BootstrappedUCB" in capsys.readouterr().out
    assert namespace["log"].mean_reward > 0.5  # three arms: chance is a third


def test_a_policy_of_ones_own_is_one_small_class():
    namespace = {}
    exec(EXAMPLES[1], namespace)
    dataset = load_dataset("demo")
    log = simulate(namespace["top_n"](dataset), dataset, seed=0, n_rounds=200)
    assert log.facts["explored_share"] == pytest.approx(2 / 3, abs=0.14)  # 4 standard errors


def test_every_notebook_is_in_the_map_and_every_file_named_exists():
    notebooks = {path.stem for path in (project_root() / "notebooks").glob("*.ipynb")}
    mapped = set(re.findall(r"^\| `([0-9A-Z]\w+)` \|", README, flags=re.MULTILINE))
    assert notebooks <= mapped
    for path in re.findall(r"\]\(((?:figures|data|notebooks)/[^)]+)\)", README):
        assert (project_root() / path).exists(), path
