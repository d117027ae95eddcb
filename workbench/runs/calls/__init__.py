"""One call of a run as a record: while a log of it is read, or while it is decided."""
