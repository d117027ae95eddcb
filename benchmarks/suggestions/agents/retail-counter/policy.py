"""The policy of retail-counter, in which nothing is said yet."""

DEFAULT = "allow"
