"""CoCoTrip, the data set of the CASPR paper.

claimwise ships no data of other people. CoCoTrip is downloaded (or read) and checked against recorded
checksums; its builder writes a folder of Parquet files with a dataset card, which
``datasets.load_dataset(folder, config)`` reads offline and without running code.
"""
