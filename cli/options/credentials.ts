import type { Command } from 'commander';
import { unsetVariable } from '../../drive/configuration/option-readers.ts';
import { readVariable } from '../../drive/configuration/variables.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { readSources } from './settings.ts';

/** Reads a key from an environment variable. Throws ConfigurationError, which names `flag`, if it is unset or blank. */
export function readKey(name: string, flag = '--api-key-env'): string {
  const key = readVariable(name, process.env);
  if (key === null) throw unsetVariable({ where: flag, value: name });
  return key;
}

/**
 * Reads the header fields to send, and the key from the variable named by `--api-key-env`, ASSAY_API_KEY_ENV or the
 * configuration file; else from ASSAY_API_KEY or OPENAI_API_KEY (null if neither is set). Rejects with
 * ConfigurationError for a named variable that is not set or an invalid header field, and as `readConfigFile` does.
 */
export async function readCredentials(
  command: Command,
): Promise<{ readonly key: string | null; readonly headers: HeaderPairs }> {
  const { readApiKey, readHeaderFields } = await import('../../drive/configuration/settings.ts');
  const { apiKeyEnv, header } = command.opts();
  const sources = await readSources(command, { apiKeyEnv, header });
  return { key: readApiKey(sources), headers: readHeaderFields(sources) };
}
