"""SQL texts: their tables, columns, functions and statements, as far as these are certain."""
