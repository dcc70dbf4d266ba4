/** Whether a text tells a model to write JSON: every language calls it by this name. */
export function asksForJson(text: string): boolean {
  return /json/i.test(text);
}
