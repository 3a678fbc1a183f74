from summary import summarise


def test_smoke() -> None:
    result = summarise("Cats sleep. Dogs bark at cats. Birds sing.", 2)
    assert isinstance(result, list)
    assert len(result) == 2
    assert all(isinstance(sentence, str) for sentence in result)
