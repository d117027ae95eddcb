"""The author behind an OpenAI-compatible endpoint."""
