def header(person: dict[str, str]) -> str:
    return "Report for " + person["first"] + " " + person["middle"] + " " + person["last"]
