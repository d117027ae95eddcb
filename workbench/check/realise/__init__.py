"""Runs and calls on which an input of a policy of calls really occurs: the witnesses of what exists."""
