"""First smooth every signal, then match each of them against a template."""
import time

import numpy as np


def smooth(signals):
    kernel = np.ones(50) / 50
    for number, signal in enumerate(signals):
        signals[number] = np.convolve(signal, kernel, mode="same")
        time.sleep(0.004)


def match(signals, template):
    lags, traces = [], []
    for signal in signals:
        trace = np.correlate(signal, template, mode="same")
        lags.append(int(trace.argmax()))
        traces.append(trace)
        time.sleep(0.004)
    return lags, traces


def main():
    rng = np.random.default_rng(53)
    signals = [rng.normal(size=6000) for _ in range(250)]
    smooth(signals)
    lags, traces = match(signals, np.hanning(200))
    print(lags[:5], len(traces))


main()
