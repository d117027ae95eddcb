"""The policy of cert-desk, in which nothing is said yet."""

DEFAULT = "deny"
