export class History {
  entries = [];

  add(entry) {
    this.entries.push(entry);
  }
}
