import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Settings } from '../../drive/configuration/configuration.ts';
import type { SettingSources } from '../../drive/configuration/settings.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { proxyFor } from '../../exchange/http/environment-proxy.ts';
import { printable } from '../../exchange/printable.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { errorCode } from '../../schemas/error-message.ts';
import { isObject } from '../../schemas/json.ts';
import { type ConfigUse, readConfigFile } from './config-file.ts';
import { keyFromVariable } from './flag-values.ts';

/**
 * Reads the settings of a command and activates their extensions. Flags take precedence over `ASSAY_X_Y` variables,
 * and these over `assay.config.ts|mjs|json` in the working directory. Throws ConfigurationError, and UsageError for an
 * unreadable configuration file or a report folder that `refuseOutside` rejects.
 */
export async function settingsOf(
  command: Command,
  defaults: Pick<SettingSources, 'claim' | 'reportDir' | 'sendsKey'> = {},
): Promise<Settings> {
  const flags = Object.entries(command.opts()).filter(
    // Excludes commander's default for --no-color.
    ([name]) => command.getOptionValueSource(name) === 'cli',
  );
  const sources = { ...(await readSources(command, Object.fromEntries(flags))), ...defaults };
  await activateConfiguredExtensions(sources);
  const { readSettings } = await import('../../drive/configuration/settings.ts');
  const use = configUseOf(command);
  const settings = { ...readSettings(sources), ...(use === 'none' && { ignoresFile: true }) };
  const isNamed =
    command.getOptionValueSource('reportDir') === 'cli' || process.env['ASSAY_REPORT_DIR'] !== undefined;
  if (use !== 'whole' && !isNamed) refuseOutside(settings.reportDir);
  return settings;
}

async function readSources(command: Command, flags: SettingSources['flags']): Promise<SettingSources> {
  const file = await readConfiguration(configUseOf(command));
  return { flags, env: process.env, file, readText: (path) => readRegularFile(path) };
}

/** Activates the extensions that the sources name. Imports on demand, because the help does not need the schemas. */
async function activateConfiguredExtensions(sources: SettingSources): Promise<void> {
  const [{ readExtensionFiles }, { activateExtensions }, { extensions }] = await Promise.all([
    import('../../drive/configuration/settings.ts'),
    import('../../pipeline/setup/extensions-in-effect.ts'),
    import('../../schemas/index.ts'),
  ]);
  await activateExtensions(readExtensionFiles(sources));
  for (const notice of extensions().flatMap(({ notices }) => notices)) process.stderr.write(`${notice}\n`);
}

/**
 * Throws UsageError for a report folder outside the working directory, so that a command in an untrusted folder writes
 * elsewhere only if told to.
 */
function refuseOutside(reportDir: string): void {
  const [folder, place] = [realpathSync(process.cwd()), resolveLinks(resolve(reportDir))];
  if (place === folder || place.startsWith(join(folder, '/'))) return;
  throw new UsageError(
    `${reportDir} leads to ${place}, outside this folder. Nothing was written: name it with --report-dir if that is intended.`,
  );
}

/** The path after resolving all links; parts that do not exist stay unchanged. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return path;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isLink) return resolveLinks(resolve(dirname(path), readlinkSync(path)));
    return dirname(path) === path ? path : join(resolveLinks(dirname(path)), basename(path));
  }
}

/**
 * The settings of a command that judges recorded traffic. It writes report files only for `--report` or
 * `--report-dir`: checking old traffic must not replace the report of a run by accident.
 */
export async function settingsOfCheck(command: Command): Promise<Settings> {
  const settings = await settingsOf(command, { sendsKey: false });
  const hasOutputFlags = ['report', 'reportDir'].some((name) => command.getOptionValueSource(name) === 'cli');
  return hasOutputFlags ? settings : { ...settings, report: ['terminal'] };
}

/** Returns how much of the file a command uses. If it has `--config`, only that flag lets the folder's code run. */
function configUseOf(command: Command): ConfigUse {
  if (command.getOptionValueSource('config') === 'cli')
    return command.opts()['config'] === true ? 'whole' : 'none';
  return command.options.some(({ long }) => long === '--config') ? 'data' : 'whole';
}

/** Lines that are not printed again: a command may read the file twice. */
const notified = new Set<string>();

/** Reads the configuration file of the working directory, and prints once which code is run or skipped. */
async function readConfiguration(use: ConfigUse): Promise<SettingSources['file']> {
  const file = await readConfigFile(process.cwd(), use, notify);
  const extensions = isObject(file?.values) ? file.values['extension'] : undefined;
  if (extensions !== undefined)
    notify(`Running the extensions that ${resolve(file?.name ?? '')} names: ${JSON.stringify(extensions)}`);
  return file;
}

function notify(line: string): void {
  if (!notified.has(line)) process.stderr.write(`${printable(line)}\n`);
  notified.add(line);
}

/** Activates the extensions that `--extension`, the environment or the configuration file names. */
export async function useNamedExtensions(command: Command): Promise<void> {
  await activateConfiguredExtensions(await readExtensionSources(command));
}

/** Reads the settings that decide how commands are printed, and activates the named extensions. */
export async function readPrintSettings(
  command: Command,
): Promise<Required<Pick<Settings, 'keyVariable' | 'standingClaim' | 'ignoresFile'>>> {
  const sources = await readExtensionSources(command);
  await activateConfiguredExtensions(sources);
  const { readKeyVariable, readStandingClaim } = await import('../../drive/configuration/settings.ts');
  const ignoresFile = configUseOf(command) === 'none';
  return { keyVariable: readKeyVariable(sources), standingClaim: readStandingClaim(sources), ignoresFile };
}

async function readExtensionSources(command: Command): Promise<SettingSources> {
  const { extension } = command.opts();
  return readSources(command, extension === undefined ? {} : { extension });
}

/** Throws UsageError if the environment names a proxy for a service to which this command connects directly. */
export function refuseEnvironmentProxy(url: string): void {
  const proxy = proxyFor(url);
  if (proxy === null) return;
  const { hostname } = new URL(url);
  throw new UsageError(
    `${proxy.variable} is set, and this command connects to ${hostname} without that proxy. If it can do so, set NO_PROXY=${hostname}.`,
  );
}

/** Like `serviceUrl`, but throws UsageError if the environment names a proxy, which the command would not use. */
export async function directServiceUrl(settings: Settings): Promise<string> {
  if (settings.baseUrl !== null) refuseEnvironmentProxy(settings.baseUrl);
  return serviceUrl(settings);
}

/**
 * The URL of the upstream service, with `/v1`. With `--wait-for`, returns only once the service responds. Throws
 * UsageError if no service is named, or it does not respond in time.
 */
export async function serviceUrl(settings: Settings): Promise<string> {
  const { baseUrl, waitFor } = settings;
  if (baseUrl === null) {
    throw new UsageError(
      'No service: give --base-url URL, or set ASSAY_BASE_URL, or baseUrl in assay.config.json.',
    );
  }
  if (waitFor > 0) await (await import('../../pipeline/target.ts')).awaitService(settings);
  return baseUrl;
}

/** Reads header fields from `--header`, else from the lines of ASSAY_HEADER. Rejects with ConfigurationError. */
export async function readHeaderFields(lines: readonly string[] | undefined): Promise<HeaderPairs> {
  const { readPairs } = await import('../../drive/configuration/option-readers.ts');
  // ASSAY_HEADER is not split at commas, because header values may contain them.
  const variable = process.env['ASSAY_HEADER'] ?? '';
  if (lines !== undefined) return readPairs(':', /\n/)({ value: lines, where: '--header' });
  return variable === '' ? [] : readPairs(':', /\n/)({ value: variable, where: 'ASSAY_HEADER' });
}

/**
 * Reads the key from the variable named by `--api-key-env`, ASSAY_API_KEY_ENV or the configuration file; else from
 * ASSAY_API_KEY or OPENAI_API_KEY. Null if neither is set. Throws UsageError if a named variable is not set.
 */
export async function readKeyToSend(command: Command): Promise<string | null> {
  const { KEY_VARIABLES, readNamedKey } = await import('../../drive/configuration/settings.ts');
  const { apiKeyEnv } = command.opts();
  const variable = readNamedKey(await readSources(command, apiKeyEnv === undefined ? {} : { apiKeyEnv }));
  if (variable !== null) return keyFromVariable(variable.value, variable.where);
  return KEY_VARIABLES.map((name) => process.env[name]?.trim()).find(Boolean) ?? null;
}

export interface ProxyCredentialFlags {
  readonly header?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
}
