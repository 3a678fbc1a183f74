"""The fleet: the rules of a server, its workers and landers. No file here does anything.

Theory of operation
===================

A server keeps tasks. Workers claim them, run their loops, and send what happens as facts. Landers claim what is proven and
put it onto its target. Machines die, sleep and lose the network; requests get lost, come twice, late and in another order;
people cancel, retry and rewind branches. Three things make that safe, and no clock is among them:

**Facts** are numbered for each task over all its workers, and each carries a hash over all before it (chain.py). The server
accepts the next one, answers a repeat as the first time, and refuses everything else (acceptance.py). Status, phase, result
and counters are the fold of accepted facts (derive.py): there is no request that says "complete".

**The epoch** of a claim is a number that only rises. Whatever a worker sends carries it, and what carries another than the
present one changes nothing (leases.is_stale). Leases only decide when someone else may try; losing one costs a worker
nothing until another has claimed.

**The fence** does in git what the epoch does on the server (lander.py): a ref that names the lander, and that every push
moves together with the target. Who has lost the fence cannot push, however late.

Where to look
-------------

    model.py      the nouns: task, queue, savepoint, message, progress; the server's numbers
    requests.py   what is asked and answered
    store.py      what the rules need of a store
    moves.py      statuses and fields: which changes there are
    readiness.py  who may claim what now
    server.py     request -> rule
    leases.py     claim, heartbeat, release, deaths, the server's tick
    acceptance.py facts come in
    derive.py     what facts come to, and what an end makes of its task
    dependants.py how a change of one task reaches others
    people.py     create, update, cancel, retry, messages
    worker.py     the worker's side: answers and time in, calls and notices out; outbox.py has its facts on their way
    lander.py     the landing of one task: steps out, results in; pull_request.py has the evidence in words
    check.py      what must hold of every history

The server's rules are functions of a transaction (store.py) and a request. Worker and lander are objects that a driver
owns: HTTP, processes and git there, virtual time in tests/simulation. Nothing here reads a clock, a file or chance.
"""
