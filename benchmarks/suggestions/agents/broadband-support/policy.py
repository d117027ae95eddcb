"""The policy of broadband-support, in which nothing is said yet."""

DEFAULT = "deny"
