"""Live use: names of arms that last, decisions whose rewards come later, saved policies."""
