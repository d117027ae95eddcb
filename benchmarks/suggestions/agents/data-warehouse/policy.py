"""The policy of data-warehouse, in which nothing is said yet."""

DEFAULT = "deny"
