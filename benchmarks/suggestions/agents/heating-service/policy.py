"""The policy of heating-service, in which nothing is said yet."""

DEFAULT = "allow"
