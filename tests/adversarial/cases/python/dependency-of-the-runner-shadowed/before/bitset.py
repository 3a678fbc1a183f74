class BitSet:
    def __init__(self, items=()):
        self.bits = 0
        for item in items:
            self.bits |= 1 << item

    def __contains__(self, item):
        return bool(self.bits >> item & 1)
