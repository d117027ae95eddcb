"""The policy of car-rental, in which nothing is said yet."""

DEFAULT = "allow"
