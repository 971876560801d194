#!/usr/bin/env python3
"""vitro_bench --serve WORK WHO train: the contenders make the training steps of bench/peers.

usage: train_test.py VITRO_BENCH"""
import json
import subprocess
import sys
import unittest

BENCH = sys.argv.pop(1)
# the first two losses of TRAININGS["mlp"] by torch_eager (bench/peers/measure.py mlp torch_eager --mode train --cache .)
LOSSES = [2.386439561843872, 2.3861517906188965]
PARAMETERS = 784 * 1024 + 1024 + 1024 * 1024 + 1024 + 1024 * 10 + 10


def serve(work, who, mode="train", runs="2\n"):
    done = subprocess.run([BENCH, "--serve", work, who, mode], input=runs, capture_output=True, text=True)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


class Training(unittest.TestCase):
    def test_losses_are_those_of_torch(self):
        for who in ("eager", "compiled", "compiled_forward"):
            _, (first, turn) = serve("mlp", who)
            for got, expected in zip(first["losses"], LOSSES, strict=True):
                self.assertAlmostEqual(got, expected, delta=2e-6, msg=who)
            self.assertEqual(first["parameters"], PARAMETERS)
            self.assertGreater(turn["med_ms"], 0)

    def test_kernels_are_those_of_one_step(self):
        kernels = {who: serve("mlp", who)[1][0]["kernels"] for who in ("eager", "compiled", "compiled_forward")}
        self.assertEqual(kernels["eager"], -1)
        # three products forward, three of weights and two of activations backward; outside of the step's
        # function the optimizer is not compiled
        self.assertGreaterEqual(kernels["compiled_forward"], 8)
        self.assertGreaterEqual(kernels["compiled"], 8)
        self.assertLess(kernels["compiled"], 40)

    def test_what_has_no_such_step_is_named(self):
        done, _ = serve("softmax", "compiled")
        self.assertIn("vitro_bench: softmax by compiled has no training step: use the mode fwd", done.stderr)
        self.assertEqual(done.returncode, 1)
        done, _ = serve("adamw", "compiled", "fwd")
        self.assertIn("vitro_bench: adamw by compiled is only a training step: use the mode train", done.stderr)
        self.assertEqual(done.returncode, 1)
        done, _ = serve("mlp", "memory")
        self.assertIn("memory: the step is not that of an optimizer alone", done.stderr)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
