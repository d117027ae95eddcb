"""The world of a run: the state of its records after each call, from calls, results and look-ups."""
