import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function packageInfo(): { readonly name: string; readonly version: string } {
  const { name, version } = require('#package') as { name: string; version: string }; // as: our own package.json
  return { name, version };
}
