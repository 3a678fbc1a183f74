'use strict';

const line = (label, cents) => `${label.padEnd(12)}${(cents / 100).toFixed(2).padStart(10)}`;
const sum = (items) => items.reduce((total, item) => total + item.cents, 0);

module.exports = [
  {
    id: 'delivery-note',
    render: (items) => items.map((item) => item.name).join('\n') + '\n',
  },
  {
    id: 'invoice',
    render: (items) =>
      [...items.map((item) => line(item.name, item.cents)), line('Total', sum(items))].join('\n') + '\n',
  },
];
