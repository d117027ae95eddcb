"""One file per kind of question. A new kind is a new module with a function ``find``."""
