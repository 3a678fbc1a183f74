import { reverse } from './helpers.mjs';

console.log(reverse(process.argv[2] ?? ''));
