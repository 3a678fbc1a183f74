'use strict';
const { EventEmitter } = require('node:events');

class Feed extends EventEmitter {
  // Calls back with each item; returns a function that ends it.
  follow(callback) {
    this.on('item', (item) => callback(item));
    return () => {
      this.off('item', callback);
    };
  }

  publish(item) {
    this.emit('item', item);
  }
}

exports.Feed = Feed;
