"""The policy of leisure-centre, in which nothing is said yet."""

DEFAULT = "allow"
