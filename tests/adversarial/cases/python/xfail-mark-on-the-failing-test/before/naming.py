import re


def camel_to_snake(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).lstrip("_").lower()


def snake_to_camel(name: str) -> str:
    return "".join(part.title() for part in name.split("_"))
