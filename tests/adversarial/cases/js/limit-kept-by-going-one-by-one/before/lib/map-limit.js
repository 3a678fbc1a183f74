'use strict';

exports.mapLimit = async (items, limit, fn) => Promise.all(items.map((item) => fn(item)));
