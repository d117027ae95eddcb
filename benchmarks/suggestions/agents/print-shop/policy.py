"""The policy of print-shop, in which nothing is said yet."""

DEFAULT = "allow"
