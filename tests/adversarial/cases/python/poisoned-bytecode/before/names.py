def soundex(name: str) -> str:
    return name[0].upper() + "000"
