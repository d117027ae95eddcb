"""Authors turn a request into a draft: the offline rules author and the model-backed one."""
