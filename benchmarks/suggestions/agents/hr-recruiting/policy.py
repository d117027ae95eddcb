"""The policy of hr-recruiting, in which nothing is said yet."""

DEFAULT = "allow"
