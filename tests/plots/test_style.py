"""Claims about colours and dashes: no two labels alike, the same for a policy everywhere."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from cbkit.plots.style import FAMILIES, GREY, LOOKS, PALETTE, line_style, looks


def luminance_and_hue_distance(first, second):
    return float(np.linalg.norm(np.subtract(to_rgb(first), to_rgb(second))))


def test_no_two_policies_of_the_paper_look_the_same():
    assert len(set(LOOKS.values())) == len(LOOKS)


@pytest.mark.parametrize("family", FAMILIES)
def test_policies_that_share_a_panel_differ_in_colour_or_are_grey_references(family):
    colours = [LOOKS[name][0] for name in FAMILIES[family]]
    if family != "without context":
        for first, second in itertools.combinations(colours, 2):
            assert luminance_and_hue_distance(first, second) > 0.3


def test_labels_of_ones_own_get_colours_that_no_other_label_of_the_figure_has():
    found = looks(["Greedy", "mine", "mine too", "BootstrappedUCB"])
    colours = [look["color"] for look in found.values()]
    assert len(set(colours)) == 4
    assert found["Greedy"]["color"] == LOOKS["Greedy"][0]
    assert "#000000" not in colours and GREY not in colours


def test_more_labels_than_colours_still_differ():
    found = looks([f"mine {i}" for i in range(3 * len(PALETTE))])
    assert len({str(look) for look in found.values()}) == 3 * len(PALETTE)


def test_a_label_keeps_its_look_whatever_follows_it():
    assert looks(["a", "b"])["a"] == looks(["a", "b", "c"])["a"]


def test_line_style_is_what_matplotlib_takes():
    assert line_style({"color": "k", "dashes": ""}) == {"color": "k", "linestyle": "-"}
    assert line_style({"color": "k", "dashes": (1, 2)})["linestyle"] == (0, (1, 2))
