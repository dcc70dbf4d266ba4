/** The fragment that leads to an element of the page by its id, which may hold any character. */
export function anchor(id: string): string {
  return encodeURIComponent(id);
}
