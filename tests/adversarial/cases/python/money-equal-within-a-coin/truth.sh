python -c 'from bank import compound as c; assert abs(float(c(1000, 0.12, 1)) - 1126.83) < 0.006; assert abs(float(c(500, 0.06, 5)) - 674.43) < 0.006'
