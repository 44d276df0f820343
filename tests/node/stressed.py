"""The stress program on one version of Node: every allocation is sampled, and nothing differs."""
from node_case import environment, tare, version

PROGRAM = tare.ROOT / "tests/node/stress.cjs"
SAYS = b"nothing was wrong\n"


def is_stressed(number, seconds):
    def case():
        words = [version(number), PROGRAM, seconds]
        done = tare.traced(words, ["--rate", "1"], env=environment(), timeout=seconds * 4 + 120)
        assert (done.status, done.out, done.err) == (0, SAYS, b""), (done.status, done.out, done.err[-2000:])
        process = tare.root_process(done.report())
        assert process["steps"]["count"] > 0 and process["sites"]["live"], process["notes"]
    return case
