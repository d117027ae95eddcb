"""The policy of catering-kitchen, in which nothing is said yet."""

DEFAULT = "allow"
