import re
from collections import Counter


def count(text: str) -> Counter:
    return Counter(re.findall(r"\w+", text.lower()))
