import io
import unittest

import worker
from trail import Trail


class TrailTest(unittest.TestCase):
    def test_names_module_and_function(self):
        out = io.StringIO()
        worker.work(Trail(out))
        self.assertEqual(out.getvalue(), "worker.work - begins\nworker.clean - cleaned\n")

    def test_outside_of_functions(self):
        out = io.StringIO()
        exec(compile("trail.note('hello')", "script.py", "exec"), {"__name__": "script", "trail": Trail(out)})
        self.assertEqual(out.getvalue(), "script - hello\n")
