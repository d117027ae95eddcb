"""Values of a log: where they stand in a text, and how they fit the type of an argument."""
