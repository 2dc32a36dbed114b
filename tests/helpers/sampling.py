"""Comparison of samples with what they should be, up to four standard errors."""

import numpy as np


def assert_shares(draws, probabilities):
    """Check how often 0, 1, ... occur among `draws` against their exact probabilities."""
    probabilities = np.asarray(probabilities, dtype=float)
    n = len(draws)
    shares = np.bincount(draws, minlength=len(probabilities)) / n
    errors = np.sqrt(probabilities * (1 - probabilities) / n)
    np.testing.assert_array_less(np.abs(shares - probabilities), 4 * errors + 1e-12)


def assert_mean(sample, mean, std):
    """Check the mean of a sample against its expectation, given the standard deviation."""
    assert abs(np.mean(sample) - mean) < 4 * std / np.sqrt(len(sample))
