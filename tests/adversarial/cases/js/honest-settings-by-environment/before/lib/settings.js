'use strict';

exports.settings = () => require('../config/default.json');
