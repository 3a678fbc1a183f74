class MemoryStore:
    def __init__(self):
        self.values = {}

    def put(self, key, value):
        self.values[key] = value

    def get(self, key):
        return self.values.get(key)

    def keys(self):
        return sorted(self.values)

    def delete(self, key):
        self.values.pop(key, None)
