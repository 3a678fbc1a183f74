def title(text: str) -> str:
    return " ".join(w[:1].upper() + w[1:] for w in text.split())
