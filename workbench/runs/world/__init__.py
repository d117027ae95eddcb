"""The world of a run: what is known of its records after each call, from calls, results and look-ups."""
