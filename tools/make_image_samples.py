#!/usr/bin/env python3
"""Writes tests/data/images/: small PNG and JPEG files, and what PIL makes of them.
usage: PYTHON tools/make_image_samples.py        with a Python that has torch, torchvision and Pillow

expected.npz has the arrays NAME.rgb and NAME.grey, the pixels as convert() gives them, and of one image what torchvision's Resize and
CenterCrop do to it, which is PIL's resize and a crop, as resize.FILTER.HEIGHTxWIDTH and crop.HEIGHTxWIDTH.
transforms.npz has what torchvision.transforms.functional makes of that image as a tensor of u8 and of f32: DTYPE.CALL."""
import pathlib
import struct
import zlib

import numpy as np
import torch
import torchvision.transforms.functional as F
from PIL import Image

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "images"
WIDTH, HEIGHT = 31, 22


def picture():
    """Colours with edges and gradients, each channel another one."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    planes = [x * 8, (y * 11) ^ (x * 3), 255 * ((x // 4 + y // 3) % 2)]
    return np.stack(planes, -1).astype(np.uint8)


def centre(image, height, width):
    """torchvision.transforms.functional.center_crop of a PIL image."""
    left, top = max((width - image.width) // 2, 0), max((height - image.height) // 2, 0)
    padded = Image.new(image.mode, (max(width, image.width), max(height, image.height)))
    padded.paste(image, (left, top))
    left, top = int(round((padded.width - width) / 2.0)), int(round((padded.height - height) / 2.0))
    return padded.crop((left, top, left + width, top + height))


def interlaced(pixels):
    """An interlaced PNG, which PIL does not write."""
    passes = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
    rows = b"".join(b"\0" + row.tobytes() for y, x, down, right in passes for row in pixels[y::down, x::right])
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def calls(image):
    """By name, functions of torchvision of one image."""
    bilinear = F.InterpolationMode.BILINEAR
    border = {"padding": [3, 1, 2, 4]}
    found = {
        "hflip": F.hflip(image),
        "vflip": F.vflip(image),
        "crop": F.crop(image, -2, -3, 10, 40),
        "pad": F.pad(image, **border, fill=1),
        "pad_edge": F.pad(image, **border, padding_mode="edge"),
        "pad_reflect": F.pad(image, **border, padding_mode="reflect"),
        "pad_symmetric": F.pad(image, **border, padding_mode="symmetric"),
        "erase": F.erase(image, 2, 3, 5, 7, torch.tensor([1.0, 0.0, 1.0]).to(image.dtype)[:, None, None]),
        "rotate": F.rotate(image, 30.0, fill=[1.0] * 3),
        "rotate_bilinear": F.rotate(image, -100.0, bilinear, center=[3.0, 20.0], fill=[0.0] * 3),
        "rotate_expand": F.rotate(image, 25.0, expand=True, fill=[0.0] * 3),
        "affine": F.affine(image, 20.0, [3, -2], 1.5, [10.0, -5.0], fill=[0.0] * 3),
        "affine_bilinear": F.affine(image, -35.0, [-1, 4], 0.7, [0.0, 15.0], bilinear, fill=[1.0] * 3),
        "grey": F.rgb_to_grayscale(image),
        "grey3": F.rgb_to_grayscale(image, 3),
    }
    for factor in (0.0, 0.4, 1.7):
        found[f"adjust_brightness.{factor}"] = F.adjust_brightness(image, factor)
        found[f"adjust_contrast.{factor}"] = F.adjust_contrast(image, factor)
        found[f"adjust_saturation.{factor}"] = F.adjust_saturation(image, factor)
    for factor in (-0.5, -0.2, 0.1, 0.45):
        found[f"adjust_hue.{factor}"] = F.adjust_hue(image, factor)
    return found


def transformed(image):
    """What functions make of an image of u8 and of f32, and what changes the dtype."""
    floating = F.convert_image_dtype(image)
    part = floating[:, 4:16, 5:20]
    found = {f"u8.{name}": value for name, value in calls(image).items()}
    found |= {f"f32.{name}": value for name, value in calls(part).items()}
    found["f32.image"], found["f32.convert"] = part, floating
    found["u8.convert"] = F.convert_image_dtype(part * 0.7, torch.uint8)
    found["f32.normalize"] = F.normalize(part, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    for filter in (F.InterpolationMode.BILINEAR, F.InterpolationMode.BICUBIC):
        for size in ([5, 9], [20, 17]):
            found[f"f32.resize_{filter.value}.{size[0]}x{size[1]}"] = F.resize(part, size, filter, antialias=True)
    pixels = Image.fromarray(image.permute(1, 2, 0).numpy())
    for size in ([9, 14], [40, 33]):
        nearest = np.array(F.resize(pixels, size, F.InterpolationMode.NEAREST))
        found[f"u8.resize_nearest.{size[0]}x{size[1]}"] = torch.from_numpy(nearest).permute(2, 0, 1)
    return {name: value.numpy() for name, value in found.items()}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    rgb = Image.fromarray(picture())
    alpha = Image.fromarray((picture()[..., 0] ^ 0xFF))
    images = {
        "rgb.png": rgb,
        "grey.png": rgb.convert("L"),
        "grey_alpha.png": Image.merge("LA", (rgb.convert("L"), alpha)),
        "rgba.png": Image.merge("RGBA", (*rgb.split(), alpha)),
        "palette.png": rgb.quantize(13),
        "bits.png": rgb.convert("1"),
        "colour.jpg": rgb,
        "grey.jpg": rgb.convert("L"),
        "progressive.jpg": rgb,
    }
    for name, image in images.items():
        options = {"progressive": True, "quality": 70} if name == "progressive.jpg" else {"quality": 90} if name.endswith("jpg") else {"optimize": True}
        image.save(FOLDER / name, **options)
    rgb.convert("CMYK").save(FOLDER / "cmyk.jpg")
    (FOLDER / "interlaced.png").write_bytes(interlaced(picture()))
    # PIL keeps 16 bits of grey only.
    grey16 = np.asarray(rgb.convert("L")).astype(np.uint16) * 256 + 7
    Image.fromarray(grey16).save(FOLDER / "grey16.png", optimize=True)

    arrays = {"grey16.grey": (grey16 >> 8).astype(np.uint8)}
    for name in images:
        opened, stem = Image.open(FOLDER / name), name.replace(".png", "").replace(".jpg", "_jpg")
        arrays[f"{stem}.rgb"] = np.asarray(opened.convert("RGB"))
        if stem in ("rgb", "palette", "colour_jpg"):
            arrays[f"{stem}.grey"] = np.asarray(opened.convert("RGB").convert("L"))
    for name, filter in (("bilinear", Image.Resampling.BILINEAR), ("bicubic", Image.Resampling.BICUBIC)):
        for height, width in ((8, 11), (9, 31), (22, 7), (25, 40), (1, 1)):
            arrays[f"resize.{name}.{height}x{width}"] = np.asarray(rgb.resize((width, height), filter))
    for height, width in ((10, 10), (11, 16), (22, 36), (25, 8), (25, 34)):
        arrays[f"crop.{height}x{width}"] = np.asarray(centre(rgb, height, width))
    arrays["cmyk_jpg.rgb"] = np.asarray(Image.open(FOLDER / "cmyk.jpg").convert("RGB"))
    np.savez_compressed(FOLDER / "expected.npz", **arrays)
    np.savez_compressed(FOLDER / "transforms.npz", **transformed(torch.from_numpy(picture()).permute(2, 0, 1)))


main()
