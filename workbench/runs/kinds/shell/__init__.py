"""Shell commands: which programs a text of bash starts, with which words, and what it hides."""
