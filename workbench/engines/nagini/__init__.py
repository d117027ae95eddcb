"""A policy as a program for Nagini, and the process that verifies it."""
