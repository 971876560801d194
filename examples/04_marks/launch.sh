#!/usr/bin/env bash
# Runs lesson 4 from wherever it is called: what VTune and Nsight are told to launch.
set -euo pipefail
folder=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
exec "$folder/../../build/release/examples/04_marks" "$@"
