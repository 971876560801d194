#!/usr/bin/env bash
# check_size.sh STRIP LIBRARY BYTES: without its symbols the library has at most so many bytes.
set -eu
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
"$1" -o "$stripped" "$2"
size=$(stat -c %s "$stripped")
echo "$2 has $size bytes without its symbols; at most $3 are allowed"
[ "$size" -le "$3" ]
