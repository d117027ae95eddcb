"""Values of expressions over a call and its run, in three values and with their places."""
