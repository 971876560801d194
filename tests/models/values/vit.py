"""The expected numbers of tests/models/vit_test.cpp.

usage: .venv/bin/python tests/models/values/vit.py"""
from made_up import fill, images, show
from images import Vit

FIRST = ("token", "patches.weight", "patches.bias", "positions.weight")

show("two layers of B/16", fill(Vit(layers=2), FIRST), images(1, 3, 224, 224), 97)
show("small", fill(Vit(layers=3, width=48, heads=4, image=32, patch=8, classes=10), FIRST), images(3, 3, 32, 32), 7)
