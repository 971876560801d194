"""The expected numbers of tests/models/language_models_test.cpp.

usage: .venv/bin/python tests/models/values/language_models.py"""
from made_up import show, tokens
from texts import bert, gpt2, lstm_lm

show("gpt2", gpt2(layers=3, width=48, heads=4, vocabulary=50, positions=32), tokens(2, 19, 50), 397)
show("bert", bert(3, 48, 4, "classifier", vocabulary=50, positions=32), tokens(5, 19, 50), 1)
show("lstm_lm", lstm_lm(50, 24, 2, False), tokens(19, 3, 50), 397)
show("tied lstm_lm", lstm_lm(50, 24, 2, True), tokens(19, 3, 50), 397)
