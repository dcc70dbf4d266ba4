import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../pipeline/usage-error.ts';
import type { Chunking } from '../../proxy/replay/chunking.ts';
import type { MatchOptions } from '../../proxy/replay/match.ts';
import type { ReplayReport } from '../../proxy/replay/replay.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../command.ts';
import { collectPointers, collectRepeated, parsePort } from '../flag-values.ts';
import { NO_TRAFFIC_HINT, serveUntilStopped } from '../serving.ts';

interface Flags {
  readonly port: number;
  readonly pace?: number;
  readonly chunking?: string;
  readonly exhausted: 'error' | 'repeat-last';
  readonly volatile?: readonly string[];
  readonly strict?: boolean;
  readonly rewriteUrls?: true;
  readonly redact?: readonly string[];
  readonly why?: string;
}

/** Leftovers named at the end; the rest is counted. */
const NAMED = 10;

/** `assay replay CASSETTE…`: serves recorded traffic, with no service and no network. */
export const replayCommand: AddCommand = (program, { finish, command }) => {
  program
    .command('replay')
    .description(
      'Answers requests as they were answered when the cassettes were recorded. Prints its URL as the first line; ends on ' +
        'Ctrl-C, or with the command given after --, and with its exit code; where that is 0, with 1 after a request that ' +
        'no recording answers.',
    )
    .argument('<cassette...>', 'folders that were recorded, tried in this order')
    .option('--port <n>', 'port to listen on', parsePort, 0)
    .option('--pace <pace>', 'recorded, instant (the default), or xN for N times faster than recorded', pace)
    .option(
      '--chunking <how>',
      'how bodies are cut: wire (as recorded), event, whole, bytes:N, split-utf8, split-crlf, seed:N',
    )
    .addOption(
      new Option('--exhausted <what>', 'when a request comes more often than it was recorded')
        .choices(['error', 'repeat-last'])
        .default('error'),
    )
    .option(
      '--volatile <pointer>',
      'place in request bodies that the client makes up anew, such as /metadata/id; may be repeated',
      collectPointers,
    )
    .option('--rewrite-urls', 'turn URLs of recorded hosts in JSON answers into our own')
    .option(
      '--redact <rule>',
      'as when recording: pattern:REGEX or pointer:/a/b (known from the cassette); may be repeated',
      collectRepeated,
    )
    .option('--why <file>', 'serve nothing; say which recording answers the request in this file, and why')
    .option('--strict', 'exit with 1 when recordings are left over (default when CI is set)')
    .option('--no-strict', 'never mind what is left over')
    .usage('[options] <cassette...> [-- command]')
    .addHelpText('after', '\nExample:\n  assay replay cassettes/session -- npm test')
    .action(async (cassettes: string[], flags: Flags) => {
      const { parseRedactionRule: parseRule } = await import('../../exchange/redaction/rules.ts');
      const redaction = { rules: (flags.redact ?? []).map(parseRule) };
      const matching = { repeatLast: flags.exhausted === 'repeat-last', volatile: flags.volatile ?? [] };
      if (flags.why !== undefined) {
        process.stdout.write(`${await explained(cassettes, flags.why, { ...matching, redaction })}\n`);
        return;
      }
      const [{ startReplayer }, { parseChunking }] = await Promise.all([
        import('../../proxy/replay/replay.ts'),
        import('../../proxy/replay/chunking.ts'),
      ]);
      const replayer = await startReplayer({
        cassettes,
        port: flags.port,
        onMiss: (_, words) => void process.stderr.write(`${words}\n`),
        onCut: (words) => void process.stderr.write(`${words}\n`),
        ...matching,
        rewriteUrls: flags.rewriteUrls ?? false,
        redaction,
        chunking: chunkingOf(flags.chunking ?? 'wire', parseChunking),
        ...(flags.pace === undefined ? {} : { pace: flags.pace }),
        ...(flags.strict === undefined ? {} : { strict: flags.strict }),
      });
      const code = await serveUntilStopped(replayer, command).catch(async (error: unknown) => {
        await replayer.close();
        throw error;
      });
      const report = await replayer.close();
      tell(report);
      if (report.answered + report.misses.length === 0 && command.length > 0)
        process.stderr.write(`${NO_TRAFFIC_HINT}\n`);
      finish(code === 0 && report.failed ? 1 : code);
    });
};

async function explained(
  cassettes: readonly string[],
  file: string,
  matching: MatchOptions,
): Promise<string> {
  const { parseRequest, explainMatch: why } = await import('../../proxy/replay/explain-match.ts');
  return why(cassettes, parseRequest(readFileSync(file)), matching);
}

function pace(text: string): number {
  if (text === 'instant') return Number.POSITIVE_INFINITY;
  if (text === 'recorded') return 1;
  const times = Number(/^x(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (times > 0) return times;
  throw new InvalidArgumentError('It takes recorded, instant, or xN such as x10.');
}

function chunkingOf(text: string, parse: (text: string) => Chunking | null): Chunking {
  const chunking = parse(text);
  if (chunking !== null) return chunking;
  throw new UsageError(
    `--chunking ${text}: it takes wire, event, whole, bytes:N, split-utf8, split-crlf or seed:N.`,
  );
}

function tell({ answered, misses, unuseds: leftovers, leftoverCount }: ReplayReport): void {
  const lines = [
    `${plural(answered, 'request')} answered, ${plural(misses.length, 'miss', 'misses')}, ${leftoverCount} left over`,
    ...leftovers
      .slice(0, NAMED)
      .map(
        ({ cassette, exchange, method, target }) =>
          `  never asked for: ${method} ${target} (${exchange} of ${cassette})`,
      ),
  ];
  if (leftoverCount > NAMED) lines.push(`  … and ${leftoverCount - NAMED} more`);
  process.stderr.write(`${lines.join('\n')}\n`);
}
