"""The policy of feature-flags, in which nothing is said yet."""

DEFAULT = "deny"
