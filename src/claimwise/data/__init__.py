"""Data sets for measuring the metrics: CoCoTrip, REALSumm, and the evidence of Bhaskar et al. (2022).

claimwise ships no data of other people. CoCoTrip is downloaded (or read) and checked against recorded
checksums; its builder writes a folder of Parquet files with a dataset card, which
``datasets.load_dataset(folder, config)`` reads offline and without running code.
"""
