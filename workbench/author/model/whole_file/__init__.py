"""The style ``file``: a model writes arguments, records and the whole policy file; critics return it."""
