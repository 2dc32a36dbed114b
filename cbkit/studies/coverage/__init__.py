"""How often expected rewards lie below bootstrapped bounds (appendix A of the paper)."""
