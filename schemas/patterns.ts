// The regular expressions of schemas. Built-in patterns are safe from ReDoS; those of extensions have an RE2 matcher.
import { getOrMake } from './maps.ts';
import { extensions } from './specification.ts';

/** The `regExp` option of ajv, which compiles each pattern once and identifies it by `toString`. */
export const schemaPatterns = Object.assign(
  (pattern: string) => ({ test: patternMatcher(pattern), toString: () => pattern }),
  // The code that standalone validators use; they contain no extension schemas.
  { code: 'new RegExp' },
);

const compiledMatchers = new Map<string, (text: string) => boolean>();

/** Returns a test for a pattern anywhere in a text: that of the extension whose schema has the pattern, or a RegExp. */
export function patternMatcher(pattern: string): (text: string) => boolean {
  for (const { patterns } of extensions()) {
    const matcher = patterns.get(pattern);
    if (matcher !== undefined) return matcher;
  }
  return getOrMake(compiledMatchers, pattern, () => {
    const compiled = new RegExp(pattern, 'u');
    return (text) => compiled.test(text);
  });
}
