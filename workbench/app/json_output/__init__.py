"""JSON output: what commands print with ``--json``, one table of fields for each type of result."""
