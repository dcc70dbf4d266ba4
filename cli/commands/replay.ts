import { readFileSync } from 'node:fs';
import { printableLines } from '../../exchange/printable.ts';
import { parseRedactionRule } from '../../exchange/redaction/rules.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { replaySummary } from '../../pipeline/proxy-sessions/replay-words.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { parseAge } from '../../proxy/replay/age.ts';
import { type Chunking, parseChunking } from '../../proxy/replay/chunking.ts';
import { explainMatch } from '../../proxy/replay/explain-match.ts';
import { parseRequest } from '../../proxy/replay/parse-request.ts';
import type { MatchOptions } from '../../proxy/replay/recordings.ts';
import { type ReplayOptions, startReplayer } from '../../proxy/replay/replay.ts';
import type { Execute } from '../options/command.ts';
import { type DisturbFlags, printDisturbances, withDisturbances } from '../serving/disturbing.ts';
import { noTrafficHint, serveUntilStopped } from '../serving/serving.ts';

interface Flags extends DisturbFlags {
  readonly port: number;
  /** Speed of the replay as a multiple of the recorded speed; Infinity means no waiting. */
  readonly pace?: number;
  readonly chunking?: string;
  /** The response after the last recorded one. An error by default: repeating it would hide excessive polling. */
  readonly exhausted: 'error' | 'repeat-last';
  readonly volatile?: readonly string[];
  readonly normalise?: readonly string[];
  readonly maxAge?: string;
  readonly strict?: boolean;
  readonly rewriteUrls?: true;
  readonly redact?: readonly string[];
  readonly why?: string;
}

export const execute: Execute<Flags> = async ({ args: cassettes, flags, command }) => {
  if (flags.disturb === 'list') return printDisturbances();
  const matching = matchOptions(flags);
  if (flags.why === undefined) return replay({ cassettes, ...matching }, flags, command);
  const why = await explainMatch(cassettes, parseRequest(readFileSync(flags.why)), matching);
  process.stdout.write(`${printableLines(why)}\n`);
  return 0;
};

function print(words: string): void {
  process.stderr.write(`${printableLines(words)}\n`);
}

/** Options that `--why` uses as well, so that its explanation agrees with the replay. */
function matchOptions({ redact = [], exhausted, volatile = [], normalise = [] }: Flags): MatchOptions {
  return {
    repeatLast: exhausted === 'repeat-last',
    volatile,
    normalise,
    redaction: { rules: redact.map(parseRedactionRule) },
  };
}

async function replay(
  matching: MatchOptions & Pick<ReplayOptions, 'cassettes'>,
  flags: Flags,
  command: readonly string[],
): Promise<number> {
  const chunking = readChunking(flags.chunking ?? 'wire');
  const { maxAge } = flags;
  if (maxAge !== undefined && parseAge(maxAge) === null)
    throw new UsageError(`--max-age ${maxAge}: it takes a number with m, h, d or w, such as 7d.`);
  const replayer = await startReplayer({
    ...matching,
    port: flags.disturb === undefined ? flags.port : 0,
    onMiss: (_, words) => print(words),
    onCut: print,
    onUnreadable: print,
    onStale: print,
    rewriteUrls: flags.rewriteUrls ?? false,
    chunking,
    ...(command.length > 0 && { client: command.map(shellQuote).join(' ') }),
    ...(flags.pace !== undefined && { pace: flags.pace }),
    ...(maxAge !== undefined && { maxAge }),
    ...(flags.strict !== undefined && { strict: flags.strict }),
  });
  const code = await withDisturbances(replayer, flags, (service) =>
    serveUntilStopped(service, command),
  ).catch(async (error: unknown) => {
    await replayer.close();
    throw error;
  });
  const report = await replayer.close();
  print(replaySummary(report));
  const isIdle = report.answered + report.misses.length === 0;
  // A disturber may have responded to all requests itself.
  const isUnused = command.length > 0 && isIdle && flags.disturb === undefined;
  if (isUnused) process.stderr.write(`${noTrafficHint(code)}\n`);
  if (code !== 0) return code;
  if (isUnused) return 2;
  return report.failed ? 1 : 0;
}

function readChunking(text: string): Chunking {
  const chunking = parseChunking(text);
  if (chunking !== null) return chunking;
  throw new UsageError(
    `--chunking ${text}: it takes wire, event, whole, bytes:N, split-utf8, split-crlf or seed:N.`,
  );
}
