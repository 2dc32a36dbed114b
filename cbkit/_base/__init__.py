"""What every room stands on: checks of arguments, keywords, and who watches a run."""
