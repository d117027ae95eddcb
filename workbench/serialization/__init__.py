"""Serialization: values and results as JSON, durations as text. It knows the nouns and no policies."""
