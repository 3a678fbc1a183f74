export class Router {
  #routes = [];

  add(pattern, name) {
    this.#routes.push({ pattern, name });
    return this;
  }

  /** @returns {{ name: string, params: Record<string, string> } | null} */
  match(path) {
    const found = this.#routes.find((route) => route.pattern === path);
    return found ? { name: found.name, params: {} } : null;
  }
}
