import type { Json } from '../../exchange/http/body.ts';
import { isKeyRefusal } from '../../exchange/key-refusal.ts';
import { truncateText } from '../../exchange/printable.ts';
import type { Drift } from '../../proxy/verify/value-drift.ts';
import type { VerifiedExchange, VerifyReport } from '../../proxy/verify/verify.ts';
import { unreachableWords } from '../../reports/words/stop.ts';
import { compact, plural } from '../../schemas/message-text.ts';

/** Maximum length of a printed value, in UTF-16 code units. */
const MAX_VALUE_LENGTH = 200;
/** Kinds of drift in which a text is a description, which is printed as it is; other texts are printed as JSON. */
const KINDS_IN_WORDS: ReadonlySet<string> = new Set<Drift['kind']>(['schema', 'status', 'stream-value']);

type WriteLine = (line: string) => void;

/** Prints drifts and skipped exchanges, but holds them back until a response shows that the service is running. */
export class DriftPrinter {
  readonly statuses = new Set<number>();
  readonly #write: WriteLine;
  #held: VerifiedExchange[] | null = [];

  constructor(write: WriteLine) {
    this.#write = write;
  }

  add(verified: VerifiedExchange): void {
    if (verified.status !== null) {
      this.statuses.add(verified.status);
      this.release();
    }
    if (this.#held === null) this.#print(verified);
    else this.#held.push(verified);
  }

  release(): void {
    for (const verified of this.#held ?? []) this.#print(verified);
    this.#held = null;
  }

  #print(verified: VerifiedExchange): void {
    for (const line of driftLines(verified)) this.#write(line);
  }
}

function driftLines({ exchange, method, target, skipped, drifts }: VerifiedExchange): readonly string[] {
  return compact(
    skipped !== null && `skip   ${exchange}  ${method} ${target}: ${skipped}`,
    ...drifts.flatMap((drift) => [
      `drift  ${exchange}  ${method} ${target}`,
      `       ${placeOf(drift)}`,
      `       recorded  ${valueWords(drift, drift.recorded)}`,
      `       now       ${valueWords(drift, drift.now)}`,
    ]),
  );
}

interface VerifyConclusion {
  /**
   * 2 if no request was sent or answered; otherwise 1 with drift; otherwise 2 if the service closed a connection;
   * otherwise 0.
   */
  readonly exitCode: number;
  readonly lines: readonly string[];
}

export function concludeVerification(
  report: VerifyReport,
  session: { readonly cassette: string; readonly baseUrl: string; readonly statuses: ReadonlySet<number> },
): VerifyConclusion {
  const { sent, skipped, drifted, closed, missingRules, unreachable } = report;
  const { cassette, baseUrl, statuses } = session;
  if (unreachable !== null) return { exitCode: 2, lines: [unreachableWords(baseUrl, unreachable)] };
  if (sent === 0) {
    const why =
      skipped === 0
        ? 'it contains no exchange of a client'
        : `${skipped === 1 ? 'its only exchange was' : `all ${skipped} were`} skipped, as listed above`;
    return { exitCode: 2, lines: [`No request of ${cassette} could be sent: ${why}. Record again.`] };
  }
  const lines = [`${plural(sent, 'request')} sent, ${skipped} skipped, ${driftedWords(drifted)}`];
  if (drifted.length > 0 && missingRules !== null) lines.push(`${cassette} was ${missingRules}`);
  if (isPathWrong(report, statuses))
    lines.push(`Every response is 404: check the path of --base-url ${baseUrl}`);
  if (drifted.length > 0 && statuses.size > 0 && [...statuses].every(isKeyRefusal))
    lines.push(
      `Every response is ${[...statuses].join(' or ')}: set --api-key-env NAME to send the key in that variable wherever the recorded request had one`,
    );
  if (closed > 0)
    lines.push(
      `${plural(closed, 'request')} got no response because the service closed the connection: see its log, and verify again`,
    );
  if (drifted.length > 0) return { exitCode: 1, lines };
  return { exitCode: closed > 0 ? 2 : 0, lines };
}

/** Also counts the places, because the output above lists places, not exchanges: `2 drifted in 4 places`. */
function driftedWords(drifted: VerifyReport['drifted']): string {
  if (drifted.length === 0) return '0 drifted';
  const places = drifted.reduce((sum, { drifts }) => sum + drifts.length, 0);
  return `${drifted.length} drifted in ${plural(places, 'place')}`;
}

/** Whether the base URL is probably wrong: if every response is 404, deleted objects are an unlikely reason. */
function isPathWrong({ drifted }: VerifyReport, statuses: ReadonlySet<number>): boolean {
  return (
    drifted.length > 1 &&
    statuses.size === 1 &&
    statuses.has(404) &&
    drifted.every(({ drifts }) => drifts.every(({ kind, now }) => kind === 'status' && now === 404))
  );
}

function placeOf({ kind, at }: Drift): string {
  if (kind === 'status' || kind === 'content-type') return kind;
  return `${kind} at ${at === '' ? 'the whole body' : at}`;
}

function valueWords({ kind, at }: Drift, value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (kind === 'length') return value === 1 ? '1 element' : `${value} elements`;
  const isWords = typeof value === 'string' && (KINDS_IN_WORDS.has(kind) || at === 'body');
  return truncateText(isWords ? value : JSON.stringify(value), MAX_VALUE_LENGTH);
}
