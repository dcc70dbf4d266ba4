import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSyntaxError } from '../../exchange/http/json-text.ts';
import { importScript } from '../../exchange/optional-peer.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';

/** Only one may exist: an order of precedence would hide a forgotten file. */
const NAMES = ['assay.config.ts', 'assay.config.mjs', 'assay.config.json'] as const;

/**
 * Null if the folder has no configuration file. Throws UsageError if it has several, or the file cannot be
 * read or evaluated.
 */
export async function configFile(folder: string): Promise<{ name: string; values: unknown } | null> {
  const found = NAMES.filter((name) => existsSync(join(folder, name)));
  const [name] = found;
  if (name === undefined) return null;
  if (found.length > 1) throw new UsageError(`There are ${found.join(' and ')}; keep one of them.`);
  const path = join(folder, name);
  try {
    const values = name.endsWith('.json') ? JSON.parse(readFileSync(path, 'utf8')) : await imported(path);
    return { name, values };
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${jsonSyntaxError(error)}`);
  }
}

async function imported(path: string): Promise<unknown> {
  const module = await importScript(path, 'assay.config.ts');
  const values = unwrapped(module['default']);
  if (values === undefined) throw new Error('it has no default export.');
  return values;
}

/** Without `"type": "module"`, tsx compiles to CommonJS, whose exports arrive as one default. */
function unwrapped(values: unknown): unknown {
  if (typeof values !== 'object' || values === null || !('__esModule' in values)) return values;
  return 'default' in values ? values.default : undefined;
}
