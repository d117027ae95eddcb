"""The policy of bike-share, in which nothing is said yet."""

DEFAULT = "deny"
