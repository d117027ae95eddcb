"""The names and files that Python code uses, read from its text; the code is never run."""
