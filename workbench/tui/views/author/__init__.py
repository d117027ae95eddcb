"""The view in which a policy is authored."""
