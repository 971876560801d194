"""The expected numbers of tests/models/llama_test.cpp.

usage: .venv/bin/python tests/models/values/llama.py"""
from made_up import fill, show, tokens
from models import Llama

show("two layers of 110M", fill(Llama(layers=2, vocabulary=500)), tokens(1, 128, 500), 12007)
show("grouped", fill(Llama(3, 96, 6, 2, 160, 50)), tokens(2, 19, 50), 397)
