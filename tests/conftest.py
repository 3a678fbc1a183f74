"""For all tests: the signals that a shell ignores for what it starts in the background reach the programs under test, and no
test fails because the machine is busy."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("ralph", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ralph")

# A program leaves an ignored signal ignored, as it should; here that would only say how the tests were started.
for number, usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGTERM, signal.SIG_DFL),
):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)
