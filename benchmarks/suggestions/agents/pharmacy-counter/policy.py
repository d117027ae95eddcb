"""The policy of pharmacy-counter, in which nothing is said yet."""

DEFAULT = "allow"
