from dataclasses import dataclass, field


@dataclass
class Job:
    name: str
    at: int
    priority: int = 0


@dataclass
class Scheduler:
    jobs: list[Job] = field(default_factory=list)

    def add(self, job: Job) -> None:
        self.jobs.append(job)

    def due(self, now: int) -> list[str]:
        return [job.name for job in self.jobs if job.at <= now]
