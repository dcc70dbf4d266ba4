import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importScript } from '../../exchange/import-script.ts';
import { jsonSyntaxError } from '../../exchange/json-file.ts';
import { refuseSpecialFile } from '../../exchange/regular-file.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { isObject } from '../../schemas/json.ts';

/** Only one of these may exist, because an order of precedence would hide a forgotten file. */
export const CONFIGURATION_FILES = ['assay.config.ts', 'assay.config.mjs', 'assay.config.json'] as const;

/** The part of the file that a command uses: all, only data (running no code of an untrusted folder), or nothing. */
export type ConfigUse = 'whole' | 'data' | 'none';

/**
 * Reads the configuration file of a folder; null if there is none that `use` permits. Tells `notify` which code is
 * run or skipped. Unless `use` is `none`, rejects with UsageError if the folder has several such files, or the file
 * cannot be read or evaluated.
 */
export async function readConfigFile(
  folder: string,
  use: ConfigUse = 'whole',
  notify: (line: string) => void = () => {},
): Promise<{ name: string; values: unknown } | null> {
  if (use === 'none') return null;
  const existing = CONFIGURATION_FILES.filter((name) => existsSync(join(folder, name)));
  const [name] = existing;
  if (name === undefined) return null;
  if (existing.length > 1) throw new UsageError(`${folder} has ${existing.join(' and ')}; keep one of them.`);
  const path = join(folder, name);
  if (!name.endsWith('.json')) {
    if (use === 'data') {
      notify(
        `${path} is a program and is not run by this command: --config runs it, --no-config silences this.`,
      );
      return null;
    }
    notify(`Running ${path}`);
  }
  try {
    refuseSpecialFile(path);
    const values = name.endsWith('.json') ? JSON.parse(readFileSync(path, 'utf8')) : await importConfig(path);
    return { name, values: use === 'data' ? withoutExtension(values, path, notify) : values };
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${jsonSyntaxError(error)}`);
  }
}

async function importConfig(path: string): Promise<unknown> {
  const module = await importScript(path, 'assay.config.ts');
  const values = unwrapDefault(module['default']);
  if (values === undefined) throw new Error('it has no default export.');
  return values;
}

/** Without `"type": "module"`, tsx compiles to CommonJS, whose exports arrive as one default. */
function unwrapDefault(values: unknown): unknown {
  if (typeof values !== 'object' || values === null || !('__esModule' in values)) return values;
  return 'default' in values ? values.default : undefined;
}

/** Leaves out extensions, because their suites are programs, too. */
function withoutExtension(values: unknown, path: string, notify: (line: string) => void): unknown {
  if (!isObject(values) || values['extension'] === undefined) return values;
  notify(`The extensions that ${path} names are not run by this command: --config or --extension runs them.`);
  const { extension: _, ...data } = values;
  return data;
}
