"""The policy of library-desk, in which nothing is said yet."""

DEFAULT = "allow"
