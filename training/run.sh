#!/bin/sh
# Makes the embedded model from scratch; each stage resumes where it was killed. Run from the repository root.
set -eu
cd "$(dirname "$0")/.."
work=training/work

# A processor with bf16 products (AVX512-BF16, AMX) or a GPU: BF16=--bf16 sh training/run.sh
# stage NAME OPTIONS...: trains on work/NAME.jsonl unless that is done
stage() {
  name=$1
  shift
  [ -f $work/$name/model.safetensors ] || python training/train.py $work/$name.jsonl --out $work/$name ${BF16:-} "$@"
}

# mine NAME MODEL OPTIONS...: looks for what MODEL gets wrong and writes work/NAME.jsonl unless that is there
mine() {
  name=$1
  model=$2
  shift 2
  [ -f $work/$name.jsonl ] || python training/mine.py $work/$model --nli $work/stage8.jsonl --out $work/$name.jsonl "$@"
}

python training/prepare.py
stage stage1 --rate 8e-5 --final-rate 5e-5 --warmup 300 --dropout 0.05
stage stage2 --init $work/stage1 --rate 6e-5 --warmup 100 --dropout 0.05
stage stage3 --init $work/stage2 --rate 8e-5 --final-rate 6e-5 --warmup 200 --seed 14
stage stage4 --init $work/stage3 --rate 6e-5 --warmup 100 --seed 15
stage stage5 --init $work/stage4 --rate 8e-5 --final-rate 6e-5 --warmup 200 --seed 16
stage stage6 --init $work/stage5 --rate 6e-5 --final-rate 5e-5 --warmup 50 --seed 17 --embeddings
stage stage7 --init $work/stage6 --rate 5e-5 --warmup 50 --seed 18 --embeddings
stage stage7b --init $work/stage5 --rate 6e-5 --warmup 100 --seed 30 --embeddings --dropout 0.1
python training/average.py $work/stage7b $work/stage7b $work/stage7 $work/stage6 $work/stage4 --out $work/averaged7
stage stage8 --init $work/averaged7 --rate 6e-5 --final-rate 1e-5 --warmup 100 --seed 41 --embeddings --dropout 0.1 --snapshots 2000
python training/average.py $work/stage8 $work/stage8-10000 $work/stage8-8000 $work/stage8-6000 --out $work/averaged8
stage stage9 --init $work/averaged8 --rate 4e-5 --warmup 50 --seed 42 --embeddings --dropout 0.1 --snapshots 2000
python training/average.py $work/stage9 $work/stage9-2000 $work/averaged8 --out $work/averaged9
stage stage10 --init $work/averaged9 --rate 5e-5 --warmup 100 --seed 43 --embeddings --dropout 0.1 --nli-smoothing 0.2 --snapshots 2000
python training/average.py $work/stage10 $work/stage10-8000 $work/stage10-6000 $work/averaged9 --out $work/averaged10
stage stage11 --init $work/averaged10 --rate 4e-5 --warmup 50 --seed 44 --embeddings --dropout 0.1 --nli-smoothing 0.2 --snapshots 2000
python training/average.py $work/stage11 $work/stage11-2000 $work/averaged10 --out $work/averaged11
mine stage12 averaged11 --seeds 61 62 --crossings 600000 --easy 45000 --nli-pairs 45000
stage stage12 --init $work/averaged11 --rate 5e-5 --warmup 100 --seed 45 --embeddings --dropout 0.1 --smoothing 0 --nli-smoothing 0.1 --snapshots 2000
python training/average.py $work/stage12 $work/stage12-8000 $work/stage12-6000 $work/averaged11 --out $work/averaged12
mine stage13 averaged12 --seeds 81 --crossings 100000 --easy 13000 --nli-pairs 30000
stage stage13 --init $work/averaged12 --rate 4e-5 --warmup 50 --seed 46 --embeddings --dropout 0.1 --smoothing 0 --nli-smoothing 0.1 --snapshots 2000
python training/average.py $work/stage13 $work/averaged12 --out $work/averaged13
mine stage14 averaged13 --seeds 91 --crossings 250000 --easy 13000 --nli-pairs 30000
stage stage14 --init $work/averaged13 --rate 5e-5 --final-rate 2e-5 --warmup 100 --seed 47 --embeddings --dropout 0.1 --smoothing 0 --nli-smoothing 0.1 --snapshots 2000
python training/average.py $work/stage14 $work/averaged13 --out $work/averaged14
mine stage15 averaged14 --seeds 92 --crossings 150000 --easy 10000 --nli-pairs 30000
stage stage15 --init $work/averaged14 --rate 5e-5 --warmup 100 --seed 48 --embeddings --dropout 0.1 --smoothing 0 --nli-smoothing 0.1 --snapshots 2000
python training/average.py $work/stage15 $work/stage15-6000 $work/averaged13 $work/averaged13 --out $work/averaged15
mine stage16 averaged15 --seeds 101 --after $work/stage15.jsonl --again 30000 --crossings 60000 --easy 5000 --nli-pairs 40000 --doubtful 0.005
stage stage16 --init $work/averaged15 --rate 5e-5 --final-rate 2e-5 --warmup 100 --seed 49 --embeddings --dropout 0.1 --smoothing 0 --nli-smoothing 0.1 --snapshots 2000
python training/average.py $work/stage16 $work/averaged15 --out $work/averaged16
mine stage17 averaged16 --seeds 102 --after $work/stage15.jsonl $work/stage16.jsonl --again 45000 --crossings 40000 --easy 3000 --nli-pairs 45000 --doubtful 0.005 --compared 40000
stage stage17 --init $work/averaged16 --rate 5e-5 --warmup 100 --seed 50 --embeddings --dropout 0.1 --smoothing 0 --nli-smoothing 0.1 --snapshots 2000
python training/average.py $work/stage17 $work/averaged16 --out $work/averaged17
mine stage18 averaged17 --seeds 103 --after $work/stage16.jsonl $work/stage17.jsonl --without-checklists --again 25000 --crossings 0 --easy 3000 --nli-pairs 20000 --doubtful 0.005
stage stage18 --init $work/averaged17 --rate 4e-5 --warmup 50 --seed 51 --embeddings --dropout 0.1 --smoothing 0 --nli-smoothing 0.1
python training/average.py $work/stage18 $work/averaged17 $work/averaged17 $work/averaged15 --out $work/averaged18
python training/calibrate.py $work/averaged18 --out $work/calibrated
python training/evaluate.py $work/calibrated --out training/results.json
python training/export.py $work/calibrated
