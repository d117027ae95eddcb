"""Records, lists and kinds of values that an agent spec could declare, with what speaks for each."""
