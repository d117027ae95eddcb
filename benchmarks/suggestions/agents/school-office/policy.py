"""The policy of school-office, in which nothing is said yet."""

DEFAULT = "allow"
