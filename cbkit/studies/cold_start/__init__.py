"""Cold starts, many arms and exclusive rewards (appendix B of the paper)."""
