import { getStuff } from './notes.mjs';

const notes = [{ title: 'Milk', tags: ['Shop'] }, { title: 'Rent', tags: ['bills', 'home'] }];
for (const note of getStuff(notes, process.argv[2])) console.log(note.title);
