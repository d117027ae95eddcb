"""The policy of property-office, in which nothing is said yet."""

DEFAULT = "allow"
