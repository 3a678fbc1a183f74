from jobs import Job, Scheduler


def make(*jobs: Job) -> Scheduler:
    scheduler = Scheduler()
    for job in jobs:
        scheduler.add(job)
    return scheduler


def test_not_due() -> None:
    assert make(Job("a", 5)).due(4) == []


def test_order() -> None:
    scheduler = make(Job("late", 9), Job("low", 3), Job("high", 3, 7), Job("first", 1))
    assert scheduler.due(9) == ["first", "high", "low", "late"]
