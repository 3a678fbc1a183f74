from pathlib import Path


class FileStore:
    def __init__(self, folder):
        self.folder = Path(folder)

    def put(self, key, value):
        (self.folder / key).write_text(value)

    def get(self, key):
        path = self.folder / key
        return path.read_text() if path.exists() else None

    def keys(self):
        return [path.name for path in self.folder.iterdir()]
