"""Add the numbers that are given, or the first thousand."""
import sys

numbers = [int(word) for word in sys.argv[1:]] or range(1000)
total = 0
for number in numbers:
    total += number
print(total)
