python -c 'import units, units.weight; assert abs(units.pounds(10) - 22.0462) < 1e-3; assert units.feet(1) == 3.28084'
