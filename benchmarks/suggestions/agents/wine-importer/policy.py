"""The policy of wine-importer, in which nothing is said yet."""

DEFAULT = "allow"
