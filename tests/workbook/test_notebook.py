"""What notebooks write goes below outputs/, and what they show is what is committed."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from PIL import Image

from cbkit.experiments.stats import holm
from cbkit.plots.curves import use_style
from cbkit.policies.cold_start import Smoothing
from cbkit.workbook.notebook import Study, save_figure, show_figure, source


@pytest.fixture
def out(tmp_path, monkeypatch):
    """The folder that runs write to."""
    monkeypatch.setenv("CBKIT_OUTPUT", str(tmp_path))
    use_style()
    yield tmp_path / "outputs"
    plt.close("all")
    plt.rcdefaults()


def picture():
    fig, ax = plt.subplots()
    ax.plot([1, 2], [3, 4])
    return fig


def test_a_study_writes_its_tables_and_figures_below_the_name_of_its_run(out):
    study = Study("bootstrap", "mine", "demo")
    table = study.save_table("finals", pd.DataFrame({"policy": ["Greedy"], "mean": [0.1 + 0.2]}))
    figure = study.save_figure("weights", picture())
    assert table == out / "mine" / "tables" / "bootstrap" / "finals.csv"
    assert table.read_text() == "policy,mean\nGreedy,0.3\n"
    assert figure == out / "mine" / "figures" / "bootstrap" / "weights.png"
    assert study.folder.is_relative_to(out / "mine")


def test_a_figure_of_the_gallery_is_drawn_from_the_tables_of_the_run(out):
    study = Study("adaptive_greedy", "demo", "d")
    finals = pd.DataFrame({"dataset": "d", "variant": "v", "policy": ["a", "b"] * 3})
    finals = finals.assign(seed=[0, 0, 1, 1, 2, 2], checksum="c", n_rounds=9, explored_share=0.5)
    study.save_table("finals", finals.assign(mean_reward=0.1, cold_start_share=0.2))
    study.draw("shares")
    assert (out / "demo" / "figures" / "adaptive_greedy" / "shares.png").exists()
    assert len(plt.gcf().axes) == 3
    with pytest.raises(ValueError, match=r"no figure 'share' is drawn.*did you mean shares"):
        study.draw("share")


def test_saved_figures_are_byte_equal_dateless_and_of_256_colours(out):
    contents = []
    for _ in range(2):
        paths = save_figure(out, "p", picture(), formats=("png", "svg")).with_suffix("")
        contents.append([paths.with_suffix(end).read_bytes() for end in (".png", ".svg")])
    assert contents[0] == contents[1]
    assert b"<dc:date>" not in contents[0][1]
    with Image.open(out / "p.png") as saved:
        assert saved.mode == "P" and len(saved.getcolors(256)) <= 256


def test_committed_figures_are_shown_by_study_and_name():
    assert show_figure("evaluation/bibtex").data.startswith(b"\x89PNG")
    with pytest.raises(FileNotFoundError, match=r"no committed figure evaluation/bib.*bibtex"):
        show_figure("evaluation/bib")


def test_source_shows_the_real_lines_without_the_docstring():
    text = source(holm).data
    assert text.startswith("```python\ndef holm(p_values") and text.endswith(
        "return corrected\n```"
    )
    assert '"""' not in text and "step-down" not in text
    assert "class Smoothing" in source(Smoothing).data
    shown = source(Study.save_figure).data
    assert "root" in shown and "Write a figure" not in shown
