"""The SMT formula of a policy: ground terms, their encoding, search and the smallest counterexample."""
