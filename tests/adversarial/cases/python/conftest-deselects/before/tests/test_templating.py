from templating import Template


def test_plain() -> None:
    assert Template("Hi {{ name }}!").render(name="Bo") == "Hi Bo!"


def test_upper() -> None:
    assert Template("Hi {{ name|upper }}!").render(name="Bo") == "Hi BO!"


def test_default() -> None:
    assert Template("Hi {{ name|default:you }}!").render() == "Hi you!"
    assert Template("Hi {{ name|default:you }}!").render(name="Bo") == "Hi Bo!"
