"""The dataset card of CoCoTrip, which the wheel brings for ``claimwise data build cocotrip``."""
