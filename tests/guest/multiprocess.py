"""Python's own tests of multiprocessing, for interpreters that leave these files out.

START_METHOD in the environment says which: fork, spawn or forkserver. Children that import this
file again have it too.
"""
import os
import unittest

import test._test_multiprocessing

test._test_multiprocessing.install_tests_in_module_dict(globals(), os.environ["START_METHOD"])

# Hangs now and then by itself: the pool's threads sleep on while they are joined.
WithThreadsTestPool.test_terminate = None  # noqa: F821

if __name__ == "__main__":
    unittest.main()
