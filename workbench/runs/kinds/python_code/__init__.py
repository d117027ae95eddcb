"""What Python code names and opens, read from its text; nothing of it is run."""
