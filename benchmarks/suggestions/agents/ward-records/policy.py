"""The policy of ward-records, in which nothing is said yet."""

DEFAULT = "allow"
