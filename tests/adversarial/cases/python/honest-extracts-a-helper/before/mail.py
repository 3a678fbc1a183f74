def salutation(person: dict[str, str]) -> str:
    return "Dear " + person["first"] + " " + person["middle"] + " " + person["last"] + ","
