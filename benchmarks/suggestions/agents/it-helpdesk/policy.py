"""The policy of it-helpdesk, in which nothing is said yet."""

DEFAULT = "allow"
