"""Which constant of a policy matters most, each varied by itself around one common centre."""
