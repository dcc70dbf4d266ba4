import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Name and version of this package. */
export function packageInfo(): { readonly name: string; readonly version: string } {
  const { name, version } = require('#package') as { name: string; version: string }; // as: our own package.json
  return { name, version };
}
