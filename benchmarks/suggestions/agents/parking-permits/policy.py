"""The policy of parking-permits, in which nothing is said yet."""

DEFAULT = "allow"
