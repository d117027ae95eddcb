"""The style ``file``: a model writes arguments, records and the policy file; critics send them back."""
