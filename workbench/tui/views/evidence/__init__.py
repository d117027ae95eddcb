"""The view of what speaks for every clause, and of the versions of the policy."""
