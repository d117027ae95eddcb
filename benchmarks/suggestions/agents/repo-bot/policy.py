"""The policy of repo-bot, in which nothing is said yet."""

DEFAULT = "allow"
