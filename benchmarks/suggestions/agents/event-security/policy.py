"""The policy of event-security, in which nothing is said yet."""

DEFAULT = "allow"
