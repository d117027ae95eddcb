"""The policy of vet-practice, in which nothing is said yet."""

DEFAULT = "allow"
