"""The screen: the front end on the terminal, which calls the pipeline and nothing below it."""
