import re


class Template:
    def __init__(self, source: str) -> None:
        self.source = source

    def render(self, **values: str) -> str:
        return re.sub(r"\{\{ *(\w+) *\}\}", lambda m: values.get(m[1], ""), self.source)
