"""The sentences of policies of calls: one grammar, by which they are written, read and completed."""
