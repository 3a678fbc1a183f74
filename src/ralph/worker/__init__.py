"""A worker: claims tasks of a server, runs their loops, and lets them move to other machines.

Theory of operation
===================

Two kinds of process. The *driver* (driver.py) owns the protocol object (core/fleet/worker.py), talks to the server through
a Transport, and never waits for anything else: so heartbeats go out whatever a loop does. For each claim it starts an
*engine* (engine.py): the ordinary Run, in place, in a clone of its own with a journal of its own. They talk in lines of
JSON (links.py): facts, signs of life and savepoints one way, people's messages and stops the other. The engine has no
token of the server and ends when its driver does.

A claim has a folder (claim_folder.py). In it, `claim.jsonl` is the claim's journal: a fact is in it, synced, before it is
sent, and a driver that starts again finds there what it had not yet sent. The rest (clone, the engine's journal, blobs) is of
no use to another claim: whoever continues a loop, also the same worker after a restart, makes a new folder from what the
server has. What a lost claim left in its workspace goes to a recovery ref of the mirror. What no one has needed for a month is
removed (pruning.py), but from no mirror that an engine uses.

**Moving** is a resume on another root. Every fact after which the tree is another one carries a savepoint (savepoints.py): a
commit chained to the previous savepoint, as a thin bundle, and the files that are in no tree (scratchpads, memories, todos,
the events file, excludes) as blobs. The next worker writes the server's facts into a fresh journal, marked as imported
(moving.py), restores the savepoint into a clone from its bare mirror (mirror.py), closes what was open with the figures of the
last heartbeat, records `loop.moved`, and resumes.

**Landing** has an engine of its own (lander.py), which drives core/fleet/lander.py with real git: what lands is made in the
mirror and pushed from there (git/landing/fenced_push.py), and judged by a run in a clone at the target's tip (landing_judge.py).
It waits until the server has accepted the intent before it pushes.
"""
