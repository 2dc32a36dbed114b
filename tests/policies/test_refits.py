"""When arms are refitted."""

import pytest

from cbkit.policies.refits import EVERY_BLOCK, Refit, as_refit


def test_every_block_is_always_due():
    assert all(EVERY_BLOCK.is_due(n, n_fitted) for n in (1, 49, 50, 5000) for n_fitted in (0, n))


def test_a_geometric_schedule_is_due_when_the_history_grew_by_its_factor():
    refit = Refit.geometric(growth=1.05)
    due = [n for n in range(1000, 1100) if refit.is_due(n, n_fitted=1000)]
    assert due[0] == 1050


def test_short_histories_are_always_due():
    refit = Refit.geometric(growth=2.0, always_below=50)
    assert refit.is_due(49, n_fitted=48)
    assert not refit.is_due(50, n_fitted=48)


def test_the_number_of_refits_grows_with_the_logarithm_of_the_history():
    refit, fitted, n_refits = Refit.geometric(growth=1.05), 0, 0
    for n in range(1, 20_001):
        if refit.is_due(n, fitted):
            fitted, n_refits = n, n_refits + 1
    assert n_refits < 49 + 6.0 / 0.0488 + 1  # log(20000 / 50) / log(1.05), and the short ones


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("every block", EVERY_BLOCK),
        ("geometric", Refit(growth=1.05)),
        ({"geometric": {"growth": 1.2, "always_below": 10}}, Refit(growth=1.2, always_below=10)),
        (Refit(growth=3), Refit(growth=3)),
    ],
)
def test_plain_data_names_a_schedule(given, expected):
    assert as_refit(given) == expected


@pytest.mark.parametrize("given", ["every", 50, None, {"geometric": {}, "other": {}}, {}])
def test_anything_else_is_refused_with_what_to_write(given):
    with pytest.raises(ValueError, match=r'"every block".*Refit\.geometric\(growth=1\.05\)'):
        as_refit(given)


@pytest.mark.parametrize(("growth", "hint"), [(0.05, "did you mean 1.05"), (-1, "at least 1")])
def test_a_growth_below_one_is_refused(growth, hint):
    with pytest.raises(ValueError, match=hint):
        Refit.geometric(growth=growth)
