"""Authors, which turn a request into a draft: a person who writes the policy, or a model that is asked."""
