"""The names and files that Python code uses, read from its text; none of it is run."""
