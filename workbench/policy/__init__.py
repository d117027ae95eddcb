"""The policy dialect: checking, compiling, lowering, SMT formulas, explaining and comparing."""
