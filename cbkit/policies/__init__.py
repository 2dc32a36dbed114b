"""Policies: oracle x cold start x index x chooser, and those with a name."""
