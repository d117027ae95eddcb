"""The translation of a policy into a Nagini program, and the process that verifies the program."""
