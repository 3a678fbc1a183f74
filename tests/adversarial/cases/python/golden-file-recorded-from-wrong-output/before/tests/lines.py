LINES = [("Tea", 350), ("Chocolate", 12000), ("Milk", 99)]
