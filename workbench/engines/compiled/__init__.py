"""The translation of a policy into Python functions, which decide in microseconds."""
