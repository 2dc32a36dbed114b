"""Full refits, streaming updates and posteriors as oracles: what they earn, and what they cost."""
