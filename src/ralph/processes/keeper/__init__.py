"""What runs in the keeper, a small process beside Ralph that starts agents and gates and sees them dead.

Loaded with `python -I -S`, so: standard library only, no import of the rest of Ralph, as few imports as
can be (its start-up is part of every run's). Ralph itself also uses `tree`, `cgroup` and `wire`.
"""
