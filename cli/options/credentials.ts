import type { Command } from 'commander';
import { unsetVariable } from '../../drive/configuration/option-readers.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { readSources } from './settings.ts';

/** Reads a key from an environment variable. Throws ConfigurationError, which names `flag`, if it is unset or blank. */
export function readKey(name: string, flag = '--api-key-env'): string {
  const key = Object.hasOwn(process.env, name) ? process.env[name]?.trim() : '';
  if (key) return key;
  throw unsetVariable({ where: flag, value: name });
}

/**
 * Reads the key from the variable named by `--api-key-env`, ASSAY_API_KEY_ENV or the configuration file; else from
 * ASSAY_API_KEY or OPENAI_API_KEY. The key is null if neither is set. Rejects with ConfigurationError if a named
 * variable is not set, or a header field is invalid.
 */
export async function readCredentials(
  command: Command,
): Promise<{ readonly key: string | null; readonly headers: HeaderPairs }> {
  const { readApiKey, readHeaderFields } = await import('../../drive/configuration/settings.ts');
  const { apiKeyEnv, header } = command.opts();
  const sources = await readSources(command, { apiKeyEnv, header });
  return { key: readApiKey(sources), headers: readHeaderFields(sources) };
}
