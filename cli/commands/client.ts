import type { Settings } from '../../drive/configuration/configuration.ts';
import { kebabCase } from '../../drive/configuration/variables.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { gateFlags } from '../../pipeline/report/rerun-command.ts';
import { openService } from '../../pipeline/target.ts';
import { extensionFlags } from '../../reports/failure/extension-flags.ts';
import type { Execute } from '../options/command.ts';
import { refuseEnvironmentProxy } from '../options/service-url.ts';
import { readCommandSettings } from '../options/settings.ts';
import { type DisturbFlags, disturbService, printDisturbances } from '../serving/disturbing.ts';
import { judgeTraffic, type TrafficFlags } from '../serving/judging-proxy.ts';

interface Flags extends Omit<TrafficFlags, 'side' | 'baseUrl'>, DisturbFlags {
  readonly baseUrl?: string;
  readonly betaHeader?: string;
}

/** Differs from the folder of a run, whose report would otherwise be overwritten. */
const CLIENT_FOLDER = 'assay-client';

/** Flags that the printed command repeats: they decide what serves the client and how it is judged; none is secret. */
const REPEATED_FLAGS = [
  'baseUrl',
  'apiKeyEnv',
  'dialect',
  'betaHeader',
  'claim',
  'only',
  'skip',
  'baseline',
  'disturb',
  'disturbSeed',
] as const;

function rerunCommand(
  flags: Readonly<Partial<Record<(typeof REPEATED_FLAGS)[number], string | number | readonly string[]>>>,
  command: readonly string[],
  settings: Settings,
): string {
  const repeated = REPEATED_FLAGS.flatMap((name) => {
    const values = [flags[name] ?? []].flat();
    return values.flatMap((value) => [`--${kebabCase(name)}`, shellQuote(String(value))]);
  });
  return [
    `npx assay client${extensionFlags()}${settings.ignoresFile === true ? ' --no-config' : ''}${gateFlags(settings)}`,
    ...repeated,
    ...(command.length > 0 ? ['--', ...command.map(shellQuote)] : []),
  ].join(' ');
}

export const execute: Execute<Flags> = async ({ flags, self, command }) => {
  if (flags.disturb === 'list') return printDisturbances();
  const settings = await readCommandSettings(self, { reportDir: CLIENT_FOLDER, sendsKey: false });
  if (flags.baseUrl !== undefined) refuseEnvironmentProxy(flags.baseUrl);
  const service = await openService(settings, flags);
  const { disturb, disturbSeed } = flags;
  // The command may contain a key, because the shell has expanded variables such as `$SERVICE_KEY`.
  const redactor = new Redactor({ environment: process.env });
  const clientCommand = redactor.redactText(rerunCommand(flags, command, settings));
  try {
    const disturber =
      disturb === undefined
        ? null
        : await disturbService(service, { disturb, ...(disturbSeed !== undefined && { disturbSeed }) });
    const trafficOptions = {
      ...flags,
      baseUrl: (disturber ?? service).url,
      side: 'client' as const, // as: a literal type
      clientCommand,
      reactions: disturber === null ? undefined : () => disturber.report(),
      ...(flags.baseUrl === undefined && { embedded: true as const }), // as: a literal type
    };
    return await judgeTraffic(settings, trafficOptions, command).finally(() => disturber?.close());
  } finally {
    await service.close();
  }
};
