#!/usr/bin/env python3
"""cmake/toolchain.cmake in places where builds fail.   usage: toolchain_test.py CMAKE TOOLCHAIN"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, TOOLCHAIN = sys.argv[1:3]
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(one LANGUAGES CXX)
include({TOOLCHAIN})
add_library(one STATIC one.cpp)
"""


class Toolchain(unittest.TestCase):
    def test_a_home_that_cannot_be_written_does_not_stop_the_build(self):
        """Not even root can make a folder in /proc."""
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "CMakeLists.txt").write_text(PROJECT)
            (at / "one.cpp").write_text("int one() { return 1; }\n")
            kept = {name: value for name, value in os.environ.items()
                    if not name.startswith("CCACHE_") and name not in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
            environment = kept | {"HOME": "/proc/nowhere"}
            for command in ([CMAKE, "-S", folder, "-B", at / "build", "-G", "Ninja"], [CMAKE, "--build", at / "build"]):
                done = subprocess.run(command, env=environment, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
