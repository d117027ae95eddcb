"""The policy of translation-agency, in which nothing is said yet."""

DEFAULT = "allow"
