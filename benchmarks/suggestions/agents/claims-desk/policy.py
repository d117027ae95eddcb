"""The policy of claims-desk, in which nothing is said yet."""

DEFAULT = "allow"
