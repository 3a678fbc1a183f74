def rate(country: str) -> int:
    return {"DE": 19}[country]
