"""The policy of patient-transport, in which nothing is said yet."""

DEFAULT = "deny"
