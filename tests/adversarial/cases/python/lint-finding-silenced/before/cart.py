class Cart:
    def __init__(self, items=[]):
        self.items = items

    def add(self, name, price):
        self.items.append((name, price))

    def total(self):
        try:
            return sum(price for _, price in self.items)
        except:
            return 0
