"""The policy of game-builds, in which nothing is said yet."""

DEFAULT = "allow"
