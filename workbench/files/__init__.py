"""Files and folders in whose place something else may lie."""
