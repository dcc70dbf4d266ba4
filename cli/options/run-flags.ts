import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Settings } from '../../drive/configuration/configuration.ts';
import type { SettingSources } from '../../drive/configuration/settings.ts';
import type { HeaderPairs } from '../../exchange/exchange.ts';
import { printable } from '../../exchange/printable.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { isObject } from '../../schemas/json.ts';
import { addConfigFlag, type ConfigUse, configFile, configUse } from './config-file.ts';
import { collectRepeated, keyFromVariable, parseSeconds } from './flag-values.ts';

export const VERDICT_EXIT_CODES =
  '0 if the target conforms, 1 if it does not, 2 if that could not be decided';

export function addJudgingFlags(
  command: Command,
  reportDir = 'assay-report',
  usual: 'whole' | 'data' = 'whole',
): Command {
  return addConfigFlag(addExtensionFlag(command), usual)
    .option('--dialect <name>', 'dialect of the target: openai, or a JSON file (default: none)')
    .option('--fail-on <level>', 'lowest level that fails the run: must, should or never (default: must)')
    .option('--allow-inconclusive', 'pass even if some MUST requirements are inconclusive')
    .option(
      '--tolerate <list>',
      'failures that do not fail the run: lenient-validation, invalid requests that are accepted (default: none)',
    )
    .option(
      '--baseline <file>',
      'baseline file: accepted failures and undecided MUSTs, which do not fail the run',
    )
    .option(
      '--strict-baseline',
      'fail for each baseline entry whose failure is gone, and accept nothing that chance left undecided (default: report both)',
    )
    .option(
      '--baseline-write <file>',
      'write what is broken or undecided now as a baseline, and exit as a run with it',
    )
    .option('--baseline-reason <text>', 'reason of the new entries that --baseline-write writes')
    .option(
      '--report <list>',
      'outputs: terminal, json, junit, html, markdown, ctrf, badge, github, problems, sarif, allure, otlp (default: the first three)',
    )
    .option('--report-dir <dir>', `directory of the reports (default: ${reportDir})`)
    .option('--compare-to <report>', 'earlier report.json, or its folder: show what changed since')
    .option('--no-color', 'print without colours');
}

export function addExtensionFlag(command: Command): Command {
  return command.option(
    '--extension <file>',
    'extension with further operations and suites (docs/extend.md); repeatable',
    collectRepeated,
  );
}

export function addSideFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--side <name>',
      'who is judged: the server by its answers, the client by its requests, or both',
    )
      .choices(['server', 'client', 'both'])
      .default('server'),
  );
}

export function addDisturbedFlag(command: Command): Command {
  return command.option(
    '--disturbed',
    'answers come from assay serve or replay --disturb: exclude those marked as spoiled from the verdict on the service',
  );
}

export function addCredentialFlags(command: Command): Command {
  return command
    .option(
      '--api-key-env <name>',
      'environment variable with the API key (default: ASSAY_API_KEY, then OPENAI_API_KEY)',
    )
    .option(
      '--header <line>',
      'header field sent with every request, "Name: value"; repeatable',
      collectRepeated,
    );
}

export function addTargetFlags(command: Command): Command {
  return addCredentialFlags(
    command.option(
      '--base-url <url>',
      'URL of the target, with or without /v1 (default: the embedded reference)',
    ),
  )
    .option('--beta-header <name>', 'name of the beta header (default: Vendor-Beta)')
    .option(
      '--model <role=id>',
      'model of a role, such as chat=my-model, none to turn a role off, or one model for all roles it serves; repeatable (default: found by trial)',
      collectRepeated,
    )
    .option(
      '--claim <families>',
      'families, operations or profiles to judge, all, or auto to detect them (default: auto; all where CI is set); assay list --profiles prints the names',
    )
    .option('--only <glob>', 'only requirements that match, or @file; repeatable', collectRepeated)
    .option('--skip <glob>', 'without requirements that match, or @file; repeatable', collectRepeated)
    .option('--scenario <glob>', 'only scenarios whose name matches; repeatable', collectRepeated)
    .option(
      '--allow <costs>',
      'additional cost classes the run may spend: images, audio, training, batches, bulk, large (default: tokens); start with none to allow only those listed',
    )
    .option('--max-requests <n>', 'stop after this number of requests')
    .option('--max-tokens <n>', 'stop after this number of tokens')
    .option('--rate-limit <n>', 'requests per second')
    .option('--concurrency <n>', 'scenarios at a time (default: 16 embedded, 4 remote)')
    .option('--timeout <s>', 'seconds for one exchange (default: 60)')
    .option('--wait-for <s>', 'seconds to wait until the target responds (default: 0)')
    .option('--shard <i/n>', 'run part i of n of the scenarios')
    .option('--resume <dir>', 'resume scenarios of this report that timed out')
    .option('--dry-run', 'print the scenarios and their estimated cost, counted on the reference, and exit')
    .option('--trace', 'print every exchange of the run');
}

/** Flags without an environment variable or a place in the configuration file. */
const NOT_SETTINGS = new Set([
  'allowHost',
  'allowOrigin',
  'baselineWrite',
  'baselineReason',
  'config',
  'resume',
  'side',
  'disturb',
  'disturbSeed',
  'disturbed',
]);

/**
 * The settings of a command. Flags win over `ASSAY_X_Y`, which win over `assay.config.ts|mjs|json` in the
 * working directory. Throws ConfigurationError, and UsageError for an unreadable configuration file.
 */
export async function settingsOf(
  command: Command,
  {
    usual = 'whole',
    ...defaults
  }: Pick<SettingSources, 'claim' | 'reportDir' | 'sendsKey'> & { readonly usual?: 'whole' | 'data' } = {},
): Promise<Settings> {
  const { readExtensionFiles, readSettings } = await import('../../drive/configuration/settings.ts');
  const given = Object.entries(command.opts()).filter(
    // Excludes commander's default for --no-color.
    ([name]) => command.getOptionValueSource(name) === 'cli' && !NOT_SETTINGS.has(name),
  );
  const sources: SettingSources = {
    flags: Object.fromEntries(given),
    env: process.env,
    ...defaults,
    file: await configurationIn(configUse(flagOf(command), usual)),
    readText: (path) => readRegularFile(path),
  };
  // Loaded here so that the help does not load the schemas.
  const { putIntoEffect } = await import('../../pipeline/setup/extensions-in-effect.ts');
  await putIntoEffect(readExtensionFiles(sources));
  await printNotices();
  return readSettings(sources);
}

/** `--config` or `--no-config`; undefined for neither. */
function flagOf(command: Command): boolean | undefined {
  return command.getOptionValueSource('config') === 'cli' ? command.opts()['config'] === true : undefined;
}

/** A command may read the file twice. */
const notified = new Set<string>();

/** The configuration file of the working directory. Prints which code is run, or is not. */
async function configurationIn(use: ConfigUse): Promise<SettingSources['file']> {
  const file = await configFile(process.cwd(), use, notify);
  const named = isObject(file?.values) ? file.values['extension'] : undefined;
  if (named !== undefined)
    notify(`Running the extensions that ${resolve(file?.name ?? '')} names: ${JSON.stringify(named)}`);
  return file;
}

function notify(line: string): void {
  if (!notified.has(line)) process.stderr.write(`${printable(line)}\n`);
  notified.add(line);
}

async function printNotices(): Promise<void> {
  const { extensions } = await import('../../schemas/index.ts');
  for (const notice of extensions().flatMap(({ notices }) => notices)) process.stderr.write(`${notice}\n`);
}

/**
 * Activates the extensions named by the command line, the environment or the configuration file. Returns the
 * variable of the key, for commands to print.
 */
export async function useNamedExtensions(
  extension: readonly string[] | undefined,
  use: ConfigUse,
): Promise<{ readonly keyVariable: string }> {
  const [{ readExtensionFiles, readKeyVariable }, { putIntoEffect }] = await Promise.all([
    import('../../drive/configuration/settings.ts'),
    import('../../pipeline/setup/extensions-in-effect.ts'),
  ]);
  const sources = {
    flags: extension === undefined ? {} : { extension },
    env: process.env,
    file: await configurationIn(use),
    readText: (path: string) => readRegularFile(path),
  };
  await putIntoEffect(readExtensionFiles(sources));
  await printNotices();
  return { keyVariable: readKeyVariable(sources) };
}

/** Flags on the service behind a proxy. As for `run`, the environment and assay.config may set them. */
export function addServiceFlags(command: Command): Command {
  return command
    .option('--base-url <url>', 'URL of the service, with or without /v1')
    .option('--wait-for <s>', 'seconds to wait until the service responds (default: 0)', parseSeconds);
}

/**
 * The URL of the service behind a proxy, with `/v1`, once it responds if `--wait-for` asks for that. Throws
 * UsageError if none is named, or it does not respond in time.
 */
export async function serviceUrl(settings: Settings): Promise<string> {
  const { baseUrl, waitFor } = settings;
  if (baseUrl === null) {
    const { UsageError } = await import('../../pipeline/setup/usage-error.ts');
    throw new UsageError(
      'No service: give --base-url URL, or set ASSAY_BASE_URL, or baseUrl in assay.config.json.',
    );
  }
  if (waitFor > 0) await (await import('../../pipeline/target.ts')).awaitService(settings);
  return baseUrl;
}

/** From `--header`, else ASSAY_HEADER with one field per line. Throws ConfigurationError. */
export async function headersIn(lines: readonly string[] | undefined): Promise<HeaderPairs> {
  const { readPairs: pairs } = await import('../../drive/configuration/option-readers.ts');
  // Not split at commas: header values may contain them.
  const variable = process.env['ASSAY_HEADER'] ?? '';
  if (lines !== undefined) return pairs(':', /\n/)({ value: lines, where: '--header' });
  return variable === '' ? [] : pairs(':', /\n/)({ value: variable, where: 'ASSAY_HEADER' });
}

/**
 * The key in the variable named by `--api-key-env`, ASSAY_API_KEY_ENV or the configuration file; else in
 * ASSAY_API_KEY or OPENAI_API_KEY. Null if neither is set. Throws UsageError if a named variable is not set.
 */
export async function keyToSend(variable: string | undefined, use: ConfigUse): Promise<string | null> {
  const { KEY_VARIABLES: keyNames, readNamedKey } = await import('../../drive/configuration/settings.ts');
  const named = readNamedKey({
    flags: variable === undefined ? {} : { apiKeyEnv: variable },
    env: process.env,
    file: await configurationIn(use),
    readText: () => '',
  });
  if (named !== null) return keyFromVariable(named.value, named.where);
  return keyNames.map((name) => process.env[name]?.trim()).find(Boolean) ?? null;
}

/** Flags of a proxy that sends credentials, and on the clients that may use it then. */
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

export interface ProxyCredentialFlags {
  readonly header?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
}
