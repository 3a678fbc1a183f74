def parse_metar(report: str) -> dict[str, object]:
    """station, wind (direction, knots), temperature in Celsius."""
    station, *_ = report.split()
    return {"station": station}
