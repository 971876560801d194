#!/usr/bin/env bash
# check_symbols.sh NM OBJECT...: checks that every symbol defined by a compiled-ahead object names its instruction set, and that
# its undefined symbols are in the C library.
set -eu
nm=$1; shift
failed=0
for object in "$@"; do
  isa=$(basename "$object" .o); isa=${isa##*.}
  foreign=$("$nm" -g --defined-only "$object" | awk '{print $NF}' | grep -v "${#isa}${isa}" || true)
  [ -z "$foreign" ] || { echo "$object defines symbols that do not name $isa:"; echo "$foreign"; failed=1; }
  needed=$("$nm" -u "$object" | awk '{print $NF}' | grep -vxE 'mem(cpy|set|move)|_GLOBAL_OFFSET_TABLE_|(fma|floor|ceil|trunc|roundeven|rint|nearbyint|sqrt)f?' || true)
  [ -z "$needed" ] || { echo "$object needs from outside:"; echo "$needed"; failed=1; }
done
exit $failed
