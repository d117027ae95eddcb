"""One file for each kind of question, with a function ``find``; a new kind is a new file.

The file's name is the kind's, with underscores for hyphens. ``find(situation)`` gives the kind's
questions: it words doubts of the author, or looks for trouble in the drafted policy.
"""
