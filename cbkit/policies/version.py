"""The version of what runs give: of random draws, fits and choices."""

RESULT_VERSION = 10  # raise it with every change after which the same seed gives another log
