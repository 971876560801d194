"""Answers about a trace, from the definitions in include/vitro/analyze alone: simple, slow, and made without a look at how Vitro
computes them.  trace_values_test.py compares the two."""
