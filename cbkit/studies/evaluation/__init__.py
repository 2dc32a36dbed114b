"""The section "Empirical evaluation" of the paper."""
