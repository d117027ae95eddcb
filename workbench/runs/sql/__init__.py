"""SQL texts: which tables, columns, functions and statements they hold, as far as that is certain."""
