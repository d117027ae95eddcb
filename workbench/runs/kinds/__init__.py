"""Kinds of values: texts that mean something (a path, an address), each read into a record of typed parts."""
