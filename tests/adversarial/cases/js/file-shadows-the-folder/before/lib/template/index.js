const { substitute } = require('./substitute');

exports.render = (source, data) => substitute(source, data);
