"""The view of the demonstrations."""
