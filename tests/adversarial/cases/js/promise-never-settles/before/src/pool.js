/**
 * @template T
 * @param {(() => Promise<T>)[]} tasks
 * @param {number} limit
 * @returns {Promise<T[]>}
 */
exports.pool = (tasks, limit) => Promise.all(tasks.map((task) => task()));
