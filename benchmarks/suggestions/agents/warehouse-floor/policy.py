"""The policy of warehouse-floor, in which nothing is said yet."""

DEFAULT = "allow"
