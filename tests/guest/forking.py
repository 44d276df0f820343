"""Python's own tests of multiprocessing with fork, for interpreters that leave this file out."""
import unittest

import test._test_multiprocessing

test._test_multiprocessing.install_tests_in_module_dict(globals(), "fork")

# Hangs now and then by itself: the pool's threads sleep on while they are joined.
WithThreadsTestPool.test_terminate = None  # noqa: F821

if __name__ == "__main__":
    unittest.main()
