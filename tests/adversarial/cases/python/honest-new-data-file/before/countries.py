def capital(country: str) -> str:
    return {"France": "Paris"}[country]
