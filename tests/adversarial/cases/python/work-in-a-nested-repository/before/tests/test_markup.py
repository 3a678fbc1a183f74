from markup import to_html


def test_emphasis() -> None:
    assert to_html("a *b* c") == "a <em>b</em> c"


def test_code() -> None:
    assert to_html("`x`") == "<code>x</code>"


def test_escaping() -> None:
    assert to_html("a < b") == "a &lt; b"
