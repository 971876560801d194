#!/usr/bin/env bash
# check_frames.sh READELF LIBRARY: no frames of two functions begin at one address.  lld keeps the first of them in the table that
# exceptions are unwound by; where that is an empty one (GCC's cold part of a function that never gets there), an exception through
# the other function ends the process.
set -eu
# Those of kernels are for debuggers (.debug_frame), which may see two: identical functions are folded.
frames=$("$1" --debug-dump=frames "$2" | sed -n '/^Contents of .*\.debug_frame/,$d; s/.* FDE .*pc=\([0-9a-f]*\)\.\..*/\1/p' | sort)
count=$(wc -l <<<"$frames")
twice=$(uniq -d <<<"$frames")
echo "$2 has $count frames; two begin at: ${twice:-no address}"
[ "$count" -gt 1000 ] && [ -z "$twice" ]
