/** @returns {{ vertices: number[][], faces: number[][] }} */
export function readObj(text) {
  const vertices = [];
  const faces = [];
  for (const line of text.split('\n')) {
    const [kind, ...rest] = line.trim().split(/\s+/);
    if (kind === 'v') vertices.push(rest.map(Number));
    if (kind === 'f') faces.push(rest.map((index) => Number(index) - 1));
  }
  return { vertices, faces };
}
