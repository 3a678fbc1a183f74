class Scheduler {
  constructor() {
    this.tasks = [];
  }

  /** @param {{ name: string, at: number, every?: number }} task */
  add(task) {
    this.tasks.push(task);
    return this;
  }

  /** @returns {{ name: string, at: number } | null} the first one strictly after now */
  next(now) {
    const task = this.tasks[0];
    return task ? { name: task.name, at: task.at } : null;
  }
}

module.exports = { Scheduler };
