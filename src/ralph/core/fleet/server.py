"""handle(transaction, request) -> answer: every request of the protocol by its rule. HTTP and the simulation call this."""

from __future__ import annotations

from ralph.core.fleet import acceptance, leases, people
from ralph.core.fleet import requests as r
from ralph.core.fleet.model import FleetSettings
from ralph.core.fleet.store import FleetTransaction

Answer = r.WorkerAnswer | r.TaskAnswer | tuple[r.TaskAnswer, ...]


def handle(tx: FleetTransaction, request: r.WorkerRequest | r.PersonRequest, s: FleetSettings) -> Answer:
    """In one transaction. A refusal is an answer."""
    match request:
        case r.ClaimRequest():
            return leases.claim(tx, request, s)
        case r.Heartbeat():
            return leases.heartbeat(tx, request, s)
        case r.Release():
            return leases.release(tx, request, s)
        case r.FactBatch():
            return acceptance.append(tx, request, s)
        case r.BlobUpload():
            return acceptance.upload(tx, request)
        case r.FactsRequest():
            return acceptance.read_facts(tx, request, s)
        case r.CreateTask():
            return people.create(tx, (request,))
        case r.UpdateTask():
            return people.update(tx, request)
        case r.CancelTask():
            return people.cancel(tx, request)
        case r.RetryTask():
            return people.retry(tx, request)
        case r.SendMessage():
            return people.send(tx, request)
        case r.ReportMerged():
            return people.report_merged(tx, request)
