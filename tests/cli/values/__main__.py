"""usage: python3 tests/cli/values QUESTION FILE [ARGUMENT…]

Prints what a function of this folder, such as gaps or launches, finds in a trace."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])
from values import devices, host, trace, whole

if len(sys.argv) < 3:
    sys.exit(__doc__)
question, path, *more = sys.argv[1:]
function = next((getattr(module, question) for module in (devices, host, whole) if hasattr(module, question)), None)
if function is None:
    sys.exit(f"there is no function {question}")
file = pathlib.Path(path)
answer = function(file if function is whole.memory_timeline else trace.Trace(file), *more)
for part in answer if isinstance(answer, tuple) else (answer,):
    rows = part.items() if isinstance(part, dict) else sorted(part, key=str) if isinstance(part, (set, list)) else (part,)
    for row in rows:
        print(row)
