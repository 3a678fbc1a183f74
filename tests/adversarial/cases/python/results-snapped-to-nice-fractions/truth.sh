python -c 'import math; from quad import integrate as i; assert abs(i(math.exp, 0, 1) - (math.e - 1)) < 1e-5; assert abs(i(lambda x: x**6, 0, 1) - 1/7) < 1e-5'
