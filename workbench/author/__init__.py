"""Authors, which turn a request into a draft: one works offline by rules, one asks a model."""
