"""The policy of cloud-console, in which nothing is said yet."""

DEFAULT = "allow"
