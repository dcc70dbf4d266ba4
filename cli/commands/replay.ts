import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { Chunking } from '../../proxy/replay/chunking.ts';
import type { MatchOptions } from '../../proxy/replay/match.ts';
import type { Replayer, ReplayOptions, ReplayReport } from '../../proxy/replay/replay.ts';
import type { AddCommand, Invocation } from '../options/command.ts';
import { collectPointers, collectRepeated, parsePort } from '../options/flag-values.ts';
import {
  addDisturbFlags,
  type DisturbFlags,
  printDisturbances,
  withDisturbances,
} from '../serving/disturbing.ts';
import { noTrafficHint, serveUntilStopped } from '../serving/serving.ts';

interface Flags extends DisturbFlags {
  readonly port: number;
  /** Infinity does not wait. */
  readonly pace?: number;
  /** How bodies are split into writes: a client must cope with any split. */
  readonly chunking?: string;
  /** The default fails: a repeated answer would hide a client that polls too often. */
  readonly exhausted: 'error' | 'repeat-last';
  readonly volatile?: readonly string[];
  /** Undefined leaves it to the variable CI. */
  readonly strict?: boolean;
  readonly rewriteUrls?: true;
  /** Rules of the recording: a request only matches after the same values were replaced in it. */
  readonly redact?: readonly string[];
  readonly why?: string;
}

export const addCommand: AddCommand = (program, invocation) => {
  const command = program
    .command('replay')
    .description(
      'Answers requests with the recorded responses. Prints its URL as the first line. Ends on Ctrl-C, or with the ' +
        'command given after --. Exits with the code of the command; if that is 0, with 1 after a request that no ' +
        'recording answers.',
    )
    .argument('<cassette...>', 'cassette folders, searched in this order')
    .option('--port <n>', 'port to listen on; 0 for any free port', parsePort, 0);
  addStrictnessFlags(addMatchingFlags(addPlaybackFlags(addDisturbFlags(command))))
    .usage('[options] <cassette...> [-- command]')
    .addHelpText('after', '\nExample:\n  assay replay cassettes/session -- npm test')
    .action(async (cassettes: string[], flags: Flags) => {
      if (flags.disturb === 'list') return printDisturbances();
      const matching = await matchOptions(flags);
      if (flags.why === undefined) await replay({ cassettes, ...matching }, flags, invocation);
      else process.stdout.write(`${await explained(cassettes, flags.why, matching)}\n`);
    });
};

function addPlaybackFlags(command: Command): Command {
  return command
    .option('--pace <pace>', 'recorded, instant (default), or xN for N times faster than recorded', parsePace)
    .option(
      '--chunking <how>',
      'how bodies are split: wire (as recorded, default), event, whole, bytes:N, split-utf8, split-crlf, seed:N',
    );
}

function addMatchingFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--exhausted <action>',
        'when all recordings of a request are used: fail, or repeat the last',
      )
        .choices(['error', 'repeat-last'])
        .default('error'),
    )
    .option(
      '--volatile <pointer>',
      'place in request bodies that differs in every run, such as /metadata/id; repeatable',
      collectPointers,
    )
    .option('--rewrite-urls', "replace URLs of recorded hosts in JSON responses by the replayer's")
    .option(
      '--redact <rule>',
      'rule used when recording: pattern:REGEX, or pointer:/a/b (read from the cassette); repeatable',
      collectRepeated,
    );
}

function addStrictnessFlags(command: Command): Command {
  return command
    .option('--why <file>', 'serve nothing; print which recording answers the request in this file, and why')
    .option('--strict', 'exit with 1 when recordings are unused (default when CI is set)')
    .option('--no-strict', 'ignore unused recordings');
}

/** `--why` uses them as well, so that its explanation agrees with the replay. */
async function matchOptions({ redact = [], exhausted, volatile = [] }: Flags): Promise<MatchOptions> {
  const { parseRedactionRule } = await import('../../exchange/redaction/rules.ts');
  return {
    repeatLast: exhausted === 'repeat-last',
    volatile,
    redaction: { rules: redact.map(parseRedactionRule) },
  };
}

async function replay(
  matching: MatchOptions & Pick<ReplayOptions, 'cassettes'>,
  flags: Flags,
  { command, finish }: Invocation,
): Promise<void> {
  const [{ startReplayer }, { replaySummary }, { shellQuote }, chunking] = await Promise.all([
    import('../../proxy/replay/replay.ts'),
    import('../../pipeline/proxy-sessions/record-words.ts'),
    import('../../reports/failure/curl-command.ts'),
    chunkingOf(flags.chunking ?? 'wire'),
  ]);
  const replayer = await startReplayer({
    ...matching,
    port: flags.disturb === undefined ? flags.port : 0,
    onMiss: (_, words) => void process.stderr.write(`${words}\n`),
    onCut: (words) => void process.stderr.write(`${words}\n`),
    onUnreadable: (words) => void process.stderr.write(`${words}\n`),
    rewriteUrls: flags.rewriteUrls ?? false,
    chunking,
    ...(command.length > 0 && { client: command.map(shellQuote).join(' ') }),
    ...(flags.pace === undefined ? {} : { pace: flags.pace }),
    ...(flags.strict === undefined ? {} : { strict: flags.strict }),
  });
  const { code, report } = await servedReplay(replayer, flags, command);
  process.stderr.write(`${replaySummary(report)}\n`);
  if (report.answered + report.misses.length === 0 && command.length > 0)
    process.stderr.write(`${noTrafficHint(code)}\n`);
  finish(code === 0 && report.failed ? 1 : code);
}

async function servedReplay(
  replayer: Replayer,
  flags: Flags,
  command: readonly string[],
): Promise<{ readonly code: number; readonly report: ReplayReport }> {
  try {
    const code = await withDisturbances(replayer, flags, (service) => serveUntilStopped(service, command));
    return { code, report: await replayer.close() };
  } catch (error) {
    await replayer.close();
    throw error;
  }
}

async function explained(
  cassettes: readonly string[],
  file: string,
  matching: MatchOptions,
): Promise<string> {
  const { parseRequest, explainMatch } = await import('../../proxy/replay/explain-match.ts');
  return explainMatch(cassettes, parseRequest(readFileSync(file)), matching);
}

function parsePace(text: string): number {
  if (text === 'instant') return Number.POSITIVE_INFINITY;
  if (text === 'recorded') return 1;
  const times = Number(/^x(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (times > 0) return times;
  throw new InvalidArgumentError('It takes recorded, instant, or xN such as x10.');
}

async function chunkingOf(text: string): Promise<Chunking> {
  const { parseChunking } = await import('../../proxy/replay/chunking.ts');
  const chunking = parseChunking(text);
  if (chunking !== null) return chunking;
  throw new UsageError(
    `--chunking ${text}: it takes wire, event, whole, bytes:N, split-utf8, split-crlf or seed:N.`,
  );
}
