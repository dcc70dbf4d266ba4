// The regular expressions of schemas. Those of assay are known to be quick; those of extensions bring their tests along.
import { extensions } from './specification.ts';

/** Whether a pattern of a schema matches somewhere in a text. */
export function matchesPattern(pattern: string, text: string): boolean {
  return testOf(pattern)(text);
}

/** The test of a pattern, for ajv: it compiles each pattern once, and knows it again by `toString`. */
export const schemaPatterns = Object.assign(
  (pattern: string) => ({ test: testOf(pattern), toString: () => pattern }),
  // How validators that are written to a file make it; they hold no schema of an extension.
  { code: 'new RegExp' },
);

/** Tests of the patterns of assay; they are few. */
const own = new Map<string, (text: string) => boolean>();

/** The test of a pattern: that of the extension which has it in a schema, or that of the engine of JavaScript. */
function testOf(pattern: string): (text: string) => boolean {
  for (const { patterns } of extensions()) {
    const known = patterns.get(pattern);
    if (known !== undefined) return known;
  }
  let test = own.get(pattern);
  if (test === undefined) {
    const compiled = new RegExp(pattern, 'u');
    test = (text) => compiled.test(text);
    own.set(pattern, test);
  }
  return test;
}
