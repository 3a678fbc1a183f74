import prices


def basket(store: prices.Store, articles: list[str]) -> int:
    """The sum of the prices."""
    cached = prices.CachedPrices(store)
    return sum(cached.price(article) for article in articles)
