"""The policy of smart-home, in which nothing is said yet."""

DEFAULT = "allow"
