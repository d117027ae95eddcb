"""The policy of airline-counter, in which nothing is said yet."""

DEFAULT = "allow"
