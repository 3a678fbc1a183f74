python -c 'from shop import price; assert abs(price(50, 0.1) - 45) < 1e-9; assert abs(price(8, 0.5) - 4) < 1e-9'
