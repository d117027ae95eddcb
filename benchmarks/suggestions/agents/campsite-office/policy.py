"""The policy of campsite-office, in which nothing is said yet."""

DEFAULT = "allow"
