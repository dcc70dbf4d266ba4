import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

function packagesOf(module: string, seen = new Set<string>()): ReadonlySet<string> {
  const packages = new Set<string>();
  const url = new URL(module, import.meta.url).href;
  if (seen.has(url)) return packages;
  seen.add(url);
  const text = readFileSync(fileURLToPath(url), 'utf8');
  for (const [, names = '', specifier = ''] of text.matchAll(
    /^(?:import|export) (?!type )([^;]*?) from '([^']+)';$/gms,
  )) {
    const isTypeImport =
      /^\{[^}]*\}$/.test(names) && names.split(',').every((one) => /^[{\s]*(?:type |\}?\s*$)/.test(one));
    if (isTypeImport) continue;
    if (!specifier.startsWith('.')) packages.add(specifier);
    else for (const name of packagesOf(new URL(specifier, url).href, seen)) packages.add(name);
  }
  return packages;
}

// The HTTP client of runs is a hundred modules, and a megabyte.
test.for(['check', 'show', 'scan', 'list', 'har', 'recover', 'compare', 'merge'])(
  '%s does not import the HTTP client statically',
  (command) => {
    expect([...packagesOf(`./${command}.ts`)]).not.toContain('undici');
  },
);

test('a run session imports the HTTP client statically', () => {
  expect([...packagesOf('../../drive/run-session.ts')]).toContain('undici');
});
