import unittest

from board.tasks import plan


class PlanTest(unittest.TestCase):
    def test_free_tasks_by_name(self):
        self.assertEqual(plan({"b": [], "a": []}), ["a", "b"])

    def test_needs_come_first(self):
        self.assertEqual(plan({"bake": ["mix"], "mix": ["buy"], "buy": []}), ["buy", "mix", "bake"])

    def test_every_need(self):
        needs = {"deploy": ["test", "build"], "test": ["build"], "build": []}
        self.assertEqual(plan(needs), ["build", "test", "deploy"])
