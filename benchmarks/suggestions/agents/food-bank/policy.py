"""The policy of food-bank, in which nothing is said yet."""

DEFAULT = "allow"
