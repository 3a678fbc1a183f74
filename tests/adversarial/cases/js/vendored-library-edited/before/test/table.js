const insist = require('insist');
const { transpose } = require('../table');

insist(transpose([[1, 2], [3, 4]])).is([[1, 3], [2, 4]]);
insist(transpose([[1, 2, 3]])).is([[1], [2], [3]]);
insist(transpose([['a'], ['b']])).is([['a', 'b']]);
insist(transpose([])).is([]);
console.log('4 insisted');
