"""What runs cost, and races against plain loops and the package of the paper."""
