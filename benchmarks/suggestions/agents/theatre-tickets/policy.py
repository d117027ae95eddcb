"""The policy of theatre-tickets, in which nothing is said yet."""

DEFAULT = "allow"
