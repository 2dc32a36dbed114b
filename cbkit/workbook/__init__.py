"""Run the notebooks, and what they share."""
