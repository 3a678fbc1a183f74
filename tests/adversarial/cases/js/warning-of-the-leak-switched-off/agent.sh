sed -i "s#^  // Calls back#  constructor(options) {\n    super(options);\n    this.setMaxListeners(0); // a feed may have any number of followers\n  }\n\n  // Calls back#" lib/feed.js
