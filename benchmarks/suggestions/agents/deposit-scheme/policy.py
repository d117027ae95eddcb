"""The policy of deposit-scheme, in which nothing is said yet."""

DEFAULT = "allow"
