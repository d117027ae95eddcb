"""The policy of museum-loans, in which nothing is said yet."""

DEFAULT = "allow"
