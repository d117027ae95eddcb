"""The author that asks a model at an OpenAI-compatible endpoint."""
