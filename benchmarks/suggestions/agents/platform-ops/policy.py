"""The policy of platform-ops, in which nothing is said yet."""

DEFAULT = "allow"
