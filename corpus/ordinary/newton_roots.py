"""Find the roots of polynomials by Newton's method."""
import numpy as np

rng = np.random.default_rng(42)
for _ in range(5):
    polynomial = np.polynomial.Polynomial(rng.normal(size=9))
    slope = polynomial.deriv()
    guess = rng.normal(size=2000) + 1j * rng.normal(size=2000)
    for _ in range(12):
        guess = guess - polynomial(guess) / slope(guess)
    print(len(np.unique(guess.round(6))), "roots")
