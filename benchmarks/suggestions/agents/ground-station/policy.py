"""The policy of ground-station, in which nothing is said yet."""

DEFAULT = "deny"
