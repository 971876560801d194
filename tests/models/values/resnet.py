"""The expected numbers of tests/models/resnet_test.cpp.

usage: .venv/bin/python tests/models/values/resnet.py"""
from made_up import fill, images, show
from images import ResNet

show("resnet18", fill(ResNet()), images(2, 3, 64, 48), 397)
show("resnet50", fill(ResNet((3, 4, 6, 3), True)), images(1, 3, 64, 64), 397)
show("resnext", fill(ResNet((1, 2, 1, 1), True, 32, 8)), images(5, 3, 7, 7), 1097)
