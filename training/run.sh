#!/bin/sh
# Makes the embedded model from scratch; each stage resumes where it was killed. Run from the repository root.
set -eu
cd "$(dirname "$0")/.."
work=training/work
python training/prepare.py
[ -f $work/stage1/model.safetensors ] ||
  python training/train.py $work/stage1.jsonl --out $work/stage1 --rate 8e-5 --final-rate 5e-5 --warmup 300
[ -f $work/stage2/model.safetensors ] ||
  python training/train.py $work/stage2.jsonl --out $work/stage2 --init $work/stage1 --rate 6e-5 --warmup 100
python training/evaluate.py $work/stage2 --out training/results.json
python training/export.py $work/stage2
