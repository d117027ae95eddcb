"""The policy of auction-house, in which nothing is said yet."""

DEFAULT = "allow"
