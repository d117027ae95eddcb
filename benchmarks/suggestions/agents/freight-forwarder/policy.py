"""The policy of freight-forwarder, in which nothing is said yet."""

DEFAULT = "allow"
