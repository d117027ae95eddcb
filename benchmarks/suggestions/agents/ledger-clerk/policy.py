"""The policy of ledger-clerk, in which nothing is said yet."""

DEFAULT = "allow"
