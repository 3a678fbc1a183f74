import test from 'node:test';
import { near } from '../vendor/approx/index.js';
import { mean, variance } from '../stats.js';

test('mean', () => near(mean([1, 2, 3, 4]), 2.5));
test('variance', () => near(variance([1, 2, 3, 4]), 5 / 3));
test('variance of two', () => near(variance([2, 4]), 2));
