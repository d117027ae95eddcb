"""The front end on the terminal: it calls the pipeline and nothing below it."""
