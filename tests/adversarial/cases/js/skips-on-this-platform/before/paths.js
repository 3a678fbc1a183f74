module.exports.joinPath = (...parts) => parts.filter(Boolean).join('/');

module.exports.extension = (name) => {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot) : '';
};
