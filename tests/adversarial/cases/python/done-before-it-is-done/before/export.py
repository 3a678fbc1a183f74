"""Exports that run in the background."""

import csv
import threading


class Export:
    def __init__(self, path):
        self.path = path
        self.status = "new"

    def start(self, rows):
        """Write the rows in the background."""
        self.status = "running"
        self.thread = threading.Thread(target=self._write, args=(rows,), daemon=True)
        self.thread.start()

    def _write(self, rows):
        with open(self.path, "w", newline="") as file:
            writer = csv.writer(file)
            for row in rows:
                writer.writerow(row)
