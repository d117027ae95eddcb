"""The policy of grant-office, in which nothing is said yet."""

DEFAULT = "allow"
