/**
 * A schema is 'string' | 'number' | 'boolean', [schema] for arrays, or an object of schemas.
 * @returns {string[]} paths of the errors, such as "user.tags[1]"
 */
exports.validate = function validate(schema, value, path = '') {
  if (typeof schema === 'string') return typeof value === schema ? [] : [path || '.'];
  return [];
};
