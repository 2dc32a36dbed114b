"""The package's version, from which the build takes it as well."""

__version__ = "0.1.0"
