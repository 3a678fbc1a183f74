def parse_bool(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]
