import { Inventory } from './inventory.js';

export const open = () => new Inventory({ apple: 10, pear: 5 });
