"""The policy of harbour-master, in which nothing is said yet."""

DEFAULT = "allow"
