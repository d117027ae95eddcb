"""The policy of newsroom, in which nothing is said yet."""

DEFAULT = "allow"
