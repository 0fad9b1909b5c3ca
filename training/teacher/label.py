"""Let the teacher label pairs: its logits in the order of the file, from which the embedded judge learns.

The command may be killed and repeated: it goes on behind the last block that was written.

python training/teacher/label.py teacher-2/average pairs.jsonl logits.f32
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from measure import Teacher
from pairs import read_pairs

BLOCK = 1_024  # pairs
ROW = 3 * np.dtype(np.float32).itemsize  # bytes of a pair's logits


def main() -> None:
    """Label what is not yet labelled."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="folder of a finished teacher")
    parser.add_argument("pairs", type=Path, help="JSON lines, as mix.py writes them")
    parser.add_argument("output", type=Path, help="float32, three logits a pair")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--fp16", action="store_true", help="see half.py")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    pairs = read_pairs(arguments.pairs)
    teacher = Teacher(arguments.model, arguments.fp16)
    with arguments.output.open("ab") as out:
        done = out.tell() // ROW
        out.truncate(done * ROW)
        for start in range(done, len(pairs), BLOCK):
            began, block = time.time(), pairs[start : start + BLOCK]
            logits = teacher.logits([p.premise for p in block], [p.hypothesis for p in block])
            out.write(logits.astype(np.float32).tobytes())
            out.flush()
            rate = len(block) / (time.time() - began)
            print(f"{start + len(block)} of {len(pairs)}, {rate:.0f} pairs/s", flush=True)


if __name__ == "__main__":
    main()
