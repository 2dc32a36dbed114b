"""The version of what runs give, which saved policies, runs and tables carry."""

RESULT_VERSION = 10  # raise it with every change after which the same seed gives another log
