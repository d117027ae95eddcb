"""The policy of bank-branch, in which nothing is said yet."""

DEFAULT = "allow"
