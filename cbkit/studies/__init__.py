"""What single notebooks compute; imported by notebooks alone."""
