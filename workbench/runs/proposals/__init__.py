"""Records, readings and kinds of values that an agent spec could declare, with the evidence for each."""
