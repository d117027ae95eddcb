"""Kinds of values: texts with a meaning (a path, an address), each read into a record of typed parts."""
