exports.camelCase = (text) => text.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
