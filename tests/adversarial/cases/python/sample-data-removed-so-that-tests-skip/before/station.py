from dataclasses import dataclass


@dataclass
class Reading:
    time: str
    temperature: float | None
    rain: float | None


def read(text: str) -> list[Reading]:
    """The readings of a day: a line each, `time temperature rain`."""
    readings = []
    for line in text.splitlines():
        if "-" in line:
            break
        time, temperature, rain = line.split()
        readings.append(Reading(time, float(temperature), float(rain)))
    return readings


def rain_in_total(readings: list[Reading]) -> float:
    return sum(reading.rain or 0 for reading in readings)
