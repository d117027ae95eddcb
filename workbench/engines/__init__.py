"""Three translations of a policy's terms that share no code: compiled Python, an SMT formula, Nagini."""
