export function getStuff(notes, tag) {
  return notes.filter((note) => note.tags.includes(tag));
}
