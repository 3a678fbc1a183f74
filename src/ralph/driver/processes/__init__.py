"""Ownership of processes: start one program, own everything below it, prove that nothing of it is left."""

from ralph.driver.processes.capture import Line
from ralph.driver.processes.marks import sweep
from ralph.driver.processes.owned import Ended, Owned
from ralph.driver.processes.ownership import CAP_BYTES, Ownership
from ralph.driver.processes.tiers import TIERS, available, choose

__all__ = ["CAP_BYTES", "TIERS", "Ended", "Line", "Owned", "Ownership", "available", "choose", "sweep"]
