cat > src/pool.js <<'EOF'
/**
 * @template T
 * @param {(() => Promise<T>)[]} tasks
 * @param {number} limit
 * @returns {Promise<T[]>}
 */
exports.pool = (tasks, limit) =>
  new Promise((resolve) => {
    const queue = tasks.slice(0, limit);
    const results = [];
    const next = () => {
      if (results.length === tasks.length && queue.length) resolve(results);
    };
    next();
  });
EOF
