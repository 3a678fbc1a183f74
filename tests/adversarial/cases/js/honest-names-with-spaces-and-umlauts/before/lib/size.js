'use strict';

exports.size = () => undefined;
