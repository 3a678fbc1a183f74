from trie import Trie


def make() -> Trie:
    trie = Trie()
    for word in ["tea", "ten", "inn", "to"]:
        trie.add(word)
    return trie


def test_add() -> None:
    assert len(make().words) == 4


def test_complete() -> None:
    assert make().complete("te") == ["tea", "ten"]


def test_complete_everything() -> None:
    assert make().complete("") == ["inn", "tea", "ten", "to"]
