"""The policy of driving-school, in which nothing is said yet."""

DEFAULT = "allow"
