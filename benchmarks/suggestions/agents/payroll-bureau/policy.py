"""The policy of payroll-bureau, in which nothing is said yet."""

DEFAULT = "allow"
