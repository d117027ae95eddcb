"""Shell commands: the programs that a text of bash starts, their words, and what the text hides."""
