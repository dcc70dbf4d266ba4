import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Settings } from '../../drive/configuration/configuration.ts';
import type { SettingSources } from '../../drive/configuration/settings.ts';
import { printable } from '../../exchange/printable.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { type ConfigUse, readConfigFile } from './config-file.ts';
import { refuseOutsideWorkingDirectory } from './report-folder.ts';

/**
 * Reads the settings of a command and activates their extensions. Flags take precedence over `ASSAY_X_Y` variables,
 * and these over `assay.config.ts|mjs|json` in the working directory. Rejects with ConfigurationError, ExtensionError,
 * or UsageError if the configuration file cannot be read or `refuseOutsideWorkingDirectory` refuses the report folder.
 */
export async function readCommandSettings(
  command: Command,
  defaults: Pick<SettingSources, 'claim' | 'reportDir' | 'sendsKey'> = {},
): Promise<Settings> {
  const flags = Object.entries(command.opts()).filter(
    ([name]) => command.getOptionValueSource(name) === 'cli',
  );
  const sources = { ...(await readSources(command, Object.fromEntries(flags))), ...defaults };
  await activateConfiguredExtensions(sources);
  const { readSettings } = await import('../../drive/configuration/settings.ts');
  const use = configUseOf(command);
  const settings = { ...readSettings(sources), ...(use === 'none' && { ignoresFile: true }) };
  const isNamed =
    command.getOptionValueSource('reportDir') === 'cli' || Boolean(process.env['ASSAY_REPORT_DIR']);
  if (use !== 'whole' && !isNamed) refuseOutsideWorkingDirectory(settings.reportDir);
  return settings;
}

export async function readSources(command: Command, flags: SettingSources['flags']): Promise<SettingSources> {
  const file = await readConfigFile(process.cwd(), configUseOf(command), notify);
  return { flags, env: process.env, file, readText: (path) => readRegularFile(path) };
}

/** Imports on demand, because the help does not need the schemas. */
async function activateConfiguredExtensions(sources: SettingSources): Promise<void> {
  const [{ readExtensionFiles }, { activateExtensions }, { extensions }] = await Promise.all([
    import('../../drive/configuration/settings.ts'),
    import('../../pipeline/setup/extensions-in-effect.ts'),
    import('../../schemas/index.ts'),
  ]);
  const files = readExtensionFiles(sources);
  const isFromFile = readExtensionFiles({ ...sources, file: null }).length === 0;
  if (files.length > 0 && isFromFile)
    notify(
      `Running the extensions that ${resolve(sources.file?.name ?? '')} names: ${JSON.stringify(files)}`,
    );
  await activateExtensions(files);
  for (const notice of extensions().flatMap(({ notices }) => notices)) notify(notice);
}

/**
 * Reads the settings of a command that judges recorded traffic. It writes reports only with `--report` or
 * `--report-dir`, so that it does not replace the report of a run.
 */
export async function readCheckSettings(command: Command): Promise<Settings> {
  const settings = await readCommandSettings(command, { sendsKey: false });
  const hasOutputFlags = ['report', 'reportDir'].some((name) => command.getOptionValueSource(name) === 'cli');
  return hasOutputFlags ? settings : { ...settings, report: ['terminal'] };
}

/** A command that has `--config` runs no code of the configuration without it. */
function configUseOf(command: Command): ConfigUse {
  if (command.getOptionValueSource('config') === 'cli')
    return command.opts()['config'] === true ? 'whole' : 'none';
  return command.options.some(({ long }) => long === '--config') ? 'data' : 'whole';
}

/** The lines already printed, because a command may read the configuration twice. */
const notified = new Set<string>();

function notify(line: string): void {
  if (!notified.has(line)) process.stderr.write(`${printable(line)}\n`);
  notified.add(line);
}

export async function useNamedExtensions(command: Command): Promise<void> {
  await activateConfiguredExtensions(await readExtensionSources(command));
}

/** Activates the extensions, and reads the settings that go into the command that `assay explain` prints. */
export async function readExplainSettings(
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
  return readSources(command, { extension });
}
