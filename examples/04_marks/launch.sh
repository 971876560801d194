#!/usr/bin/env bash
# Runs lesson 4 from any folder: the command for VTune and Nsight to launch.
set -euo pipefail
folder=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
exec "$folder/../../build/release/examples/04_marks" "$@"
