const compiled = new Map<string, RegExp>();

/** Whether an id matches a pattern in which `*` stands for any characters. */
export function matchesGlob(pattern: string, id: string): boolean {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    const literal = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
    expression = new RegExp(`^${literal.join('.*')}$`, 's');
    compiled.set(pattern, expression);
  }
  return expression.test(id);
}

export function matchesAnyGlob(patterns: readonly string[], id: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, id));
}
