"""Values of a log: their places in a text, and their conversion to the type of an argument."""
