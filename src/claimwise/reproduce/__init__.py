"""Rerunning the experiments of the papers on the real data, one file each."""
