from store import FileStore, MemoryStore
from store.contract import StoreContract


class TestMemoryStore(StoreContract):
    def make(self, folder):
        return MemoryStore()


class TestFileStore(StoreContract):
    def make(self, folder):
        return FileStore(folder)


def test_file_store_writes_files(tmp_path):
    FileStore(tmp_path).put("a", "1")
    assert (tmp_path / "a").read_text() == "1"
