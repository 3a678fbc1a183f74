from store.file import FileStore
from store.memory import MemoryStore

__all__ = ["FileStore", "MemoryStore"]
