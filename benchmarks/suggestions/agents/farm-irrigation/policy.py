"""The policy of farm-irrigation, in which nothing is said yet."""

DEFAULT = "allow"
