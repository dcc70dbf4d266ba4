import type { Command } from 'commander';
import type { AddCommand, Invocation } from '../options/command.ts';
import { addJudgingFlags, settingsOf } from '../options/run-flags.ts';
import {
  addDisturbFlags,
  type DisturbFlags,
  disturbedService,
  printDisturbances,
} from '../serving/disturbing.ts';
import { addTrafficFlags, judgeTraffic, type TrafficFlags } from '../serving/judging-proxy.ts';

/** Flags of a proxy; the judged side is always the client. */
interface Flags extends Omit<TrafficFlags, 'side' | 'baseUrl'>, DisturbFlags {
  /** Undefined for the embedded reference. */
  readonly baseUrl?: string;
  readonly betaHeader?: string;
}

/** Flags that decide what a client meets and how it is judged; none is secret. */
const REPEATED = ['baseUrl', 'dialect', 'betaHeader', 'claim', 'disturb'] as const;

async function commandOf(
  flags: Readonly<Partial<Record<(typeof REPEATED)[number], string>>>,
  command: readonly string[],
): Promise<string> {
  const { shellQuote } = await import('../../reports/failure/curl-command.ts');
  const given = REPEATED.flatMap((name) => {
    const value = flags[name];
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return value === undefined ? [] : [`--${flag}`, shellQuote(value)];
  });
  return [
    'npx assay client',
    ...given,
    ...(command.length > 0 ? ['--', ...command.map(shellQuote)] : []),
  ].join(' ');
}

/** Not the folder of a run, whose report stays. */
const CLIENT_FOLDER = 'assay-client';

export const addCommand: AddCommand = (program, invocation) => {
  const command = program
    .command('client')
    .description(
      'Records what a client sends and judges its requests: bodies, queries, forms, headers, limits, ids. Prints its URL as the ' +
        'first line. Ends on Ctrl-C, or with the command given after --, and then writes the report. Exits with the code of ' +
        'the command; if that is 0, with 0 if the client conforms, 1 if it does not, 2 if nothing was judged.',
    )
    .option(
      '--base-url <url>',
      'URL of the service that answers, with or without /v1 (default: the embedded reference)',
    )
    .option(
      '--beta-header <name>',
      'name of the beta header that the client sends (default: that of the dialect)',
    );
  addJudgingFlags(addTrafficFlags(addDisturbFlags(command)), CLIENT_FOLDER)
    .usage('[options] [-- command]')
    .addHelpText('after', '\nExample:\n  assay client --dialect openai -- node client.mjs')
    .action((flags: Flags, self: Command) => judgeClient(flags, self, invocation));
};

async function judgeClient(flags: Flags, self: Command, { command, finish }: Invocation): Promise<void> {
  if (flags.disturb === 'list') return printDisturbances();
  const settings = await settingsOf(self, { reportDir: CLIENT_FOLDER, sendsKey: false });
  const { answeringService } = await import('../../pipeline/target.ts');
  const service = await answeringService(settings, flags);
  const { disturb, disturbSeed } = flags;
  const again = await commandOf(flags, command);
  try {
    const disturbed =
      disturb === undefined
        ? null
        : await disturbedService(service, { disturb, ...(disturbSeed !== undefined && { disturbSeed }) });
    const traffic = {
      ...{ ...flags, baseUrl: (disturbed ?? service).url, side: 'client' as const }, // as: a literal type
      ...{ clientCommand: again, reactions: disturbed?.reactions },
      ...(flags.baseUrl === undefined && { embedded: true as const }), // as: a literal type
    };
    finish(await judgeTraffic(settings, traffic, command).finally(() => disturbed?.close()));
  } finally {
    await service.close();
  }
}
