"""One file for each kind of question that needs more than a wording, with a function ``find``.

The file has the kind's name, with underscores for hyphens. ``find(situation)`` returns the kind's questions:
it asks about doubts of the author, or looks for trouble in the drafted policy. ``worded`` asks about all
doubts whose kind is only a table of ``questions.toml``: most are.
"""
