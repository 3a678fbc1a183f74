"""A fleet in virtual time: the real rules of server, worker and lander on machines, networks and a git remote that fail.

Everything is drawn from one seed, and the same seed gives the same history: world.py has the clock and the dice.
"""
