import type { Command } from 'commander';
import type { HeaderPairs } from '../exchange/exchange.ts';
import { configFile } from './config-file.ts';
import { collectRepeated, keyFromVariable } from './flag-values.ts';

/** The header fields of `--header`; without the flag those of ASSAY_HEADER, one field in each line. Throws ConfigurationError. */
export async function headersIn(lines: readonly string[] | undefined): Promise<HeaderPairs> {
  const { readPairs: pairs } = await import('../drive/configuration/option-readers.ts');
  // Split at line breaks only: the value of a header field may contain commas.
  const variable = process.env['ASSAY_HEADER'] ?? '';
  if (lines !== undefined) return pairs(':', /\n/)({ value: lines, where: '--header' });
  return variable === '' ? [] : pairs(':', /\n/)({ value: variable, where: 'ASSAY_HEADER' });
}

/**
 * The key in the variable that `--api-key-env` names, or else ASSAY_API_KEY_ENV or the configuration file, as for `assay run`;
 * where none names one, in ASSAY_API_KEY or OPENAI_API_KEY; null where neither is set. Throws UsageError where a named one is not set.
 */
export async function keyToSend(variable: string | undefined): Promise<string | null> {
  const { KEY_VARIABLES: keyNames, readNamedKey } = await import('../drive/configuration/settings.ts');
  const named = readNamedKey({
    flags: variable === undefined ? {} : { apiKeyEnv: variable },
    env: process.env,
    file: await configFile(process.cwd()),
    readText: () => '',
  });
  if (named !== null) return keyFromVariable(named.value, named.where);
  return keyNames.map((name) => process.env[name]?.trim()).find(Boolean) ?? null;
}

/** Adds the flags of a proxy that sends credentials: `--header`, and the clients that may use it then. */
export function addProxyCredentialFlags(command: Command): Command {
  return command
    .option(
      '--header <line>',
      'header field sent with every request, "Name: value"; replaces the client\'s; repeatable',
      collectRepeated,
    )
    .option(
      '--allow-host <name>',
      'with a key or --header: also accept requests for this host name (default: loopback names); repeatable',
      collectRepeated,
    )
    .option(
      '--allow-origin <origin>',
      'with a key or --header: also accept web pages of this origin; repeatable',
      collectRepeated,
    );
}

/** The flags that `addProxyCredentialFlags` adds, as commander returns them. */
export interface ProxyCredentialFlags {
  readonly header?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
}
