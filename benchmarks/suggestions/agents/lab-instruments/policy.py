"""The policy of lab-instruments, in which nothing is said yet."""

DEFAULT = "allow"
