"""The policy of architect-studio, in which nothing is said yet."""

DEFAULT = "allow"
