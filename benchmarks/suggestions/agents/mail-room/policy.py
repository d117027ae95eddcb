"""The policy of mail-room, in which nothing is said yet."""

DEFAULT = "allow"
