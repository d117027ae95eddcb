"""The policy of law-mail, in which nothing is said yet."""

DEFAULT = "allow"
