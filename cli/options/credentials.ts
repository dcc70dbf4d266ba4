import type { Command } from 'commander';
import { readPairs, unsetVariable } from '../../drive/configuration/option-readers.ts';
import { KEY_VARIABLES } from '../../drive/configuration/variables.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { readSources } from './settings.ts';

/** Reads a key from an environment variable. Throws ConfigurationError, which names `flag`, if it is unset or blank. */
export function readKey(name: string, flag = '--api-key-env'): string {
  const key = process.env[name]?.trim();
  if (key) return key;
  throw unsetVariable({ where: flag, value: name });
}

export function readHeaderFields(lines: readonly string[] | undefined): HeaderPairs {
  // ASSAY_HEADER is not split at commas, because header values may contain them.
  const variable = process.env['ASSAY_HEADER'] ?? '';
  if (lines !== undefined) return readPairs(':', /\n/)({ value: lines, where: '--header' });
  return variable === '' ? [] : readPairs(':', /\n/)({ value: variable, where: 'ASSAY_HEADER' });
}

/**
 * Reads the key from the variable named by `--api-key-env`, ASSAY_API_KEY_ENV or the configuration file; else from
 * ASSAY_API_KEY or OPENAI_API_KEY. Null if neither is set; rejects with ConfigurationError if a named variable is not.
 */
export async function readKeyToSend(command: Command): Promise<string | null> {
  const { readNamedKey } = await import('../../drive/configuration/settings.ts');
  const { apiKeyEnv } = command.opts();
  const variable = readNamedKey(await readSources(command, apiKeyEnv === undefined ? {} : { apiKeyEnv }));
  if (variable !== null) return readKey(variable.value, variable.where);
  return KEY_VARIABLES.map((name) => process.env[name]?.trim()).find(Boolean) ?? null;
}
