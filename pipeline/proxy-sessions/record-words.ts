import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Cassette, openCassette } from '../../exchange/cassette/cassette.ts';
import { CassetteError } from '../../exchange/cassette/cassette-error.ts';
import { containsFile } from '../../exchange/cassette/folder.ts';
import { scanQuickly } from '../../exchange/cassette/secret-scan.ts';
import { isKeyRefusal } from '../../exchange/key-refusal.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { RecordReport } from '../../proxy/record/record.ts';
import { compact, firstOf, plural } from '../../schemas/message-text.ts';

const MAX_NAMED = 10;
/** Above this size, in bytes, a cassette is neither read nor searched for secrets, so that summaries stay fast. */
const MAX_SEARCHED_BYTES = 64 * 1024 * 1024;

/**
 * The exit code if the client succeeded: 2 if the service never responded; 1 if it always refused the key and the
 * cassette stays as it was, if the cassette lacks anything, or if a secret could not be replaced; else 0.
 */
export function recordExitCode(report: RecordReport): number {
  const { unreachable, isDenied, unrecorded, starved, unanswered, missed, quarantined } = report;
  if (unreachable !== null) return 2;
  return unrecorded + starved + unanswered + missed > 0 || isDenied || quarantined !== null ? 1 : 0;
}

export function sawTraffic(report: RecordReport): boolean {
  const { recorded, replayed, missed, unrecorded, unanswered, starved } = report;
  return recorded + replayed + missed + unrecorded + unanswered + starved > 0;
}

export function unusedSummary(cassette: string, outcome: 'removed' | 'kept'): string {
  return outcome === 'removed'
    ? `Nothing was recorded: ${cassette} is not written.`
    : `Nothing was recorded: the cassette in ${cassette} stays as it was.`;
}

async function readIfSmall<T>(path: string, fallback: T, read: (cassette: Cassette) => T): Promise<T> {
  if (!containsFile(path, 'cassette.jsonl')) return fallback;
  if (lstatSync(join(path, 'cassette.jsonl')).size > MAX_SEARCHED_BYTES) return fallback;
  const cassette = await openCassette(path);
  try {
    return read(cassette);
  } finally {
    cassette.close();
  }
}

/** Number of exchanges that a recording will replace; null if there is no readable cassette, or it is very large. */
export async function countReplacedExchanges(cassette: string): Promise<number | null> {
  try {
    return await readIfSmall<number | null>(cassette, null, ({ size }) => size);
  } catch (error) {
    if (error instanceof CassetteError) return null;
    throw error;
  }
}

/**
 * Warns if the replaced cassette had more exchanges than were recorded; `--mode new` may have added some to it. A
 * recording without exchanges replaces nothing.
 */
export function lossWords({ recorded, aside }: RecordReport, before: number | null): string | null {
  if (before === null || aside !== null || recorded === 0 || recorded >= before) return null;
  return (
    `The replaced cassette held ${plural(before, 'exchange')}, ${before - recorded} more than were recorded: exchanges that ` +
    '--mode new had added are missing unless the client sent them again. --mode new keeps the exchanges of a cassette and adds to them'
  );
}

export function recordSummary(report: RecordReport, cassette: string): string {
  const { recorded, replayed, missed, diskFailed, beyondLimit, upgraded, starved, unanswered } = report;
  const { unreachable, isDenied, aside, quarantined, exchanges } = report;
  const connections = `${plural(upgraded, 'connection')} (upgraded, or requested by CONNECT)`;
  const parts = compact(
    `${plural(recorded, 'exchange')} recorded in ${aside ?? cassette}`,
    quarantined !== null && `which now holds ${exchanges}`,
    replayed > 0 && `${replayed} answered from it`,
    missed > 0 && `${missed} without a recording`,
    unanswered > 0 && `${unanswered} left out, as the service did not answer`,
    starved > 0 &&
      `${starved} not forwarded, and more may have been refused, as too many files are open: raise ulimit -n and record again`,
    diskFailed > 0 && `${diskFailed} passed unrecorded: the cassette could not be written`,
    beyondLimit > 0 && `${beyondLimit} passed unrecorded beyond the limit of the disk`,
    upgraded > 0 && `${connections} unrecorded: a cassette holds exchanges only`,
  );
  if (aside === null) {
    if (recorded === 0 || unreachable === null) return parts.join(', ');
    return `${parts.join(', ')}. None of them was answered, so a replay answers nothing either: start the service and record again, which replaces this cassette`;
  }
  const answers = unreachable === null ? '401 or 403 to every request' : 'nothing';
  const why = unreachable === null && !isDenied ? 'the command failed' : `the service answered ${answers}`;
  return (
    `${parts.join(', ')}. As ${why}, the cassette in ${cassette} stays as it was. Record again; or, to use the new one ` +
    `anyway, delete ${cassette} and rename ${aside} to it.`
  );
}

export function secretWarning(cassette: string): string | null {
  const secrets = scanQuickly(cassette, MAX_SEARCHED_BYTES);
  if (secrets === null || secrets.length === 0) return null;
  const kinds = [...new Set(secrets.map((secret) => secret.what))].join(', ');
  return `It may hold a secret (${kinds}). See where with: npx assay scan ${shellQuote(cassette)}; keep it out with --redact`;
}

export async function recorderRemarks(cassette: string): Promise<readonly string[]> {
  const messages = await readIfSmall<readonly string[]>(cassette, [], (recorded) =>
    recorded
      .placedNotes()
      .flatMap((note) => (note.note === 'remark' && 'message' in note ? [note.message] : [])),
  );
  const distinct = [...new Set(messages)];
  return firstOf(distinct, MAX_NAMED, (rest) => `${plural(rest, 'more remark')} in ${cassette}`);
}

/** Warns if the service returned only 401 or 403: the cassette then contains no session. */
export async function denialWarning(cassette: string): Promise<string | null> {
  return readIfSmall<string | null>(cassette, null, (recorded) => {
    const statuses = new Set<number | undefined>();
    for (let k = 0; k < recorded.size; k += 1) {
      const status = recorded.exchange(k).response?.status;
      if (!isKeyRefusal(status)) return null;
      statuses.add(status);
    }
    if (statuses.size === 0) return null;
    const words = `Every answer is ${[...statuses].join(' or ')}`;
    if (recorded.header.keyInjected) return `${words}: check the key that was sent instead of the client's`;
    return `${words}: the client's key is forwarded; --api-key-env NAME sends the key in that variable instead`;
  });
}
