import { isKeyRefusal } from '../../exchange/claims.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { Drift } from '../../proxy/verify/compared-places.ts';
import type { VerifiedExchange, VerifyReport } from '../../proxy/verify/verify.ts';
import { plural } from '../../reports/report.ts';
import { unreachable } from '../../reports/words/gate-reason.ts';

/** Longest value that is printed whole. UTF-16 code units. */
const LONGEST = 200;

/** Writes the lines of a line-oriented output; each text ends without a line break. */
export type WriteLines = (text: string) => void;

/**
 * Prints each exchange when it has been verified, from the first response on. Until then it holds the lines back, because
 * where no response comes at all, one line about the unreachable service replaces them.
 */
export class DriftPrinter {
  /** Statuses of the responses so far. */
  readonly statuses = new Set<number>();
  readonly #write: WriteLines;
  #held: VerifiedExchange[] | null = [];

  constructor(write: WriteLines) {
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

  /** Prints the lines that were held back; later ones are printed at once. */
  release(): void {
    for (const verified of this.#held ?? []) this.#print(verified);
    this.#held = null;
  }

  #print(verified: VerifiedExchange): void {
    for (const line of driftLines(verified)) this.#write(line);
  }
}

/** The lines on one exchange: why it was skipped, or where it drifted; none where it agrees. */
function driftLines({ exchange, method, target, skipped, drifts }: VerifiedExchange): readonly string[] {
  return [
    ...(skipped === null ? [] : [`skip   ${exchange}  ${method} ${target}: ${skipped}`]),
    ...drifts.flatMap((drift) => [
      `drift  ${exchange}  ${method} ${target}`,
      `       ${placeOf(drift)}`,
      `       recorded  ${valueWords(drift, drift.recorded)}`,
      `       now       ${valueWords(drift, drift.now)}`,
    ]),
  ];
}

/** How a verification ended: its exit code, and the lines that say so. */
export interface VerifyConclusion {
  /** 0 without drift, 1 with drift, 2 where no request was sent or answered. */
  readonly exitCode: number;
  readonly lines: readonly string[];
}

/** Concludes from the report of a verification; `statuses` are those of all responses. */
export function concludeVerification(
  report: VerifyReport,
  about: {
    readonly cassette: string;
    readonly baseUrl: string;
    readonly statuses: ReadonlySet<number>;
  },
): VerifyConclusion {
  const { sent, skipped, drifted, missingRules } = report;
  const { cassette, baseUrl, statuses } = about;
  if (report.unreachable !== null) return { exitCode: 2, lines: [unreachable(baseUrl, report.unreachable)] };
  if (sent === 0) {
    const why = skipped === 0 ? 'it holds no exchange' : `all ${skipped} were skipped, as listed above`;
    return { exitCode: 2, lines: [`Nothing of ${cassette} could be sent: ${why}. Record again.`] };
  }
  const lines = [`${plural(sent, 'request')} sent, ${skipped} skipped, ${driftedWords(drifted)}`];
  if (drifted.length > 0 && missingRules !== null) lines.push(`${cassette} was ${missingRules}`);
  if (isPathWrong(report, statuses))
    lines.push(`Every request is answered 404. Is the path of --base-url ${baseUrl} right?`);
  if (drifted.length > 0 && statuses.size > 0 && [...statuses].every(isKeyRefusal))
    lines.push(
      `Every request is answered ${[...statuses].join(' or ')}: --api-key-env NAME sends the key in that variable where the recorded request had one`,
    );
  return { exitCode: drifted.length > 0 ? 1 : 0, lines };
}

/** Exchanges and places, because an exchange has a line above for each place: `2 drifted in 4 places`. */
function driftedWords(drifted: VerifyReport['drifted']): string {
  if (drifted.length === 0) return '0 drifted';
  const places = drifted.reduce((sum, { drifts }) => sum + drifts.length, 0);
  return `${drifted.length} drifted in ${plural(places, 'place')}`;
}

/** Whether everything is answered 404: a single object may have been deleted, but not all of them. */
function isPathWrong({ drifted }: VerifyReport, statuses: ReadonlySet<number>): boolean {
  return drifted.length > 1 && statuses.size === 1 && statuses.has(404) && drifted.every(isGone);
}

function isGone({ drifts }: VerifiedExchange): boolean {
  return drifts.every(({ kind, now }) => kind === 'status' && now === 404);
}

/** The kind of a drift and its JSON pointer; status and content type have one place only. */
function placeOf({ kind, at }: Drift): string {
  if (kind === 'status' || kind === 'content-type') return kind;
  return `${kind} at ${at === '' ? 'the whole body' : at}`;
}

/** Kinds of drifts whose values are descriptions. */
const WORDED: ReadonlySet<string> = new Set<Drift['kind']>(['schema', 'status']);

/** A value as JSON; without quotation marks where it is a description rather than a value of the body. */
function valueWords({ kind, at }: Drift, value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  // Descriptions of a stream quote its values already.
  const json = kind === 'stream-value' && typeof value === 'string' ? value : JSON.stringify(value);
  const isWords = typeof value === 'string' && (WORDED.has(kind) || at === 'body');
  const text = isWords ? json.slice(1, -1) : json;
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  if (kind === 'length') return value === 1 ? '1 element' : `${shown} elements`;
  return shown;
}
