"""The expected numbers of tests/models/unet_test.cpp.

usage: .venv/bin/python tests/models/values/unet.py"""
from made_up import fill, images, show
from images import UNet

show("four levels", fill(UNet()), images(2, 3, 48, 32), 997)
