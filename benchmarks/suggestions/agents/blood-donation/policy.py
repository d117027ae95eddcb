"""The policy of blood-donation, in which nothing is said yet."""

DEFAULT = "allow"
