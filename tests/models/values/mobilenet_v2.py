"""The expected numbers of tests/models/mobilenet_v2_test.cpp.

usage: .venv/bin/python tests/models/values/mobilenet_v2.py"""
from made_up import fill, images, show
from images import MobileNetV2

show("mobilenet_v2", fill(MobileNetV2()), images(2, 3, 96, 64), 397)
