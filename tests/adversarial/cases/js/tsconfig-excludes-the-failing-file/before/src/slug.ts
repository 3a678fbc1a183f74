/** The title as it stands in an address. */
export function slug(title: string, limit: number = 60): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, limit);
}
