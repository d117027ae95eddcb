"""The view of the evidence for every clause, and of the versions of the policy."""
