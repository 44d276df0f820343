"""`tare run --try gc`: a collection at every step, so that a second run shows what it changes."""


def collecting(tick, collect):
    """The same tick, with a collection before it: what is counted at the step's end is what is left."""
    def collect_and_tick(clock):
        collect()
        tick(clock)

    return collect_and_tick
