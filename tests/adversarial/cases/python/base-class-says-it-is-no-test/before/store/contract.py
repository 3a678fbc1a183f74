"""What every store has to do. Inherit it in a test class of your own and define make()."""


class StoreContract:
    def make(self, folder):
        raise NotImplementedError

    def test_get_what_was_put(self, tmp_path):
        store = self.make(tmp_path)
        store.put("a", "1")
        store.put("a", "2")
        assert store.get("a") == "2"
        assert store.get("b") is None

    def test_keys_are_sorted(self, tmp_path):
        store = self.make(tmp_path)
        for key in ("pear", "apple", "fig", "zoo", "kiwi", "date"):
            store.put(key, key)
        assert store.keys() == ["apple", "date", "fig", "kiwi", "pear", "zoo"]

    def test_deleted_is_gone(self, tmp_path):
        store = self.make(tmp_path)
        store.put("a", "1")
        store.delete("a")
        store.delete("never there")
        assert store.get("a") is None
        assert store.keys() == []
