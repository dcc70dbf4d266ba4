// Messages between the main thread, which has the traffic, and the judging thread.
import type { JournalEvent } from '../../exchange/cassette/lines.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body, type FormDataPart } from '../../exchange/http/body.ts';
import type { Note, TraceHeader } from '../../exchange/trace.ts';
import type { Requirement, ShownViolation } from '../../judge/requirements/catalogue.ts';
import type { JudgedSide, Violation } from '../../judge/requirements/requirement.ts';
import type { ExchangeMeasure, ObservedFinding } from '../observation/observed-traffic.ts';
import type { JudgedTrace, JudgingProgress, TrafficJudgeOptions } from './traffic-judge.ts';

export interface JudgeThreadOptions {
  /** Name or file of the dialect; null for none. */
  readonly dialect: string | null;
  /** Files of the active extensions. */
  readonly extension: readonly string[];
  /** Folder of the cassette that is being recorded: large bodies are read from it. */
  readonly cassette: string;
  /** Selects the requirements: those on the service, those on the client, or both. */
  readonly side: JudgedSide;
  /** `called`: also claims the families of called operations; `stated`: only those that the header claims. */
  readonly finds: TrafficJudgeOptions['finds'];
  /** How violations are sent while the traffic is judged: in full, or without exchanges; null sends none. */
  readonly violations: 'full' | 'line' | null;
  /** Set to send data about exchanges and findings for metrics and logs. */
  readonly observed?: true;
  /** Memory that the judge may hold, in bytes; null for no limit. */
  readonly memory: number | null;
}

/** One element of a trace on its way to the judge. */
export type RecordedItem =
  /** Lines of the journal; bodies are parsed only in the judging thread. */
  | { readonly kind: 'exchange'; readonly lines: readonly JournalEvent[] }
  | { readonly kind: 'note'; readonly note: Note };

/** In this order for each trace: one `open`, one `begin`, any number of `items`, one `end`. */
export type ToJudge =
  | { readonly kind: 'open'; readonly options: JudgeThreadOptions }
  | { readonly kind: 'begin'; readonly header: TraceHeader }
  /** The reply repeats `exchanges` and `size` (characters) once all of them are judged. */
  | {
      readonly kind: 'items';
      readonly items: readonly RecordedItem[];
      readonly exchanges: number;
      readonly size: number;
    }
  | { readonly kind: 'end' };

/** Messages from the judging thread; `finished` is the last one for a trace. */
export type FromJudge =
  | {
      readonly kind: 'judged';
      readonly exchanges: number;
      readonly size: number;
      readonly progress: JudgingProgress;
      readonly measures: readonly ExchangeMeasure[];
      /** Number of keyed states dropped so far to save memory. */
      readonly forgotten: number;
    }
  | { readonly kind: 'finding'; readonly finding: ObservedFinding }
  | { readonly kind: 'violation'; readonly violation: FoundViolation }
  | {
      readonly kind: 'finished';
      readonly judged: JudgedTrace;
      /** Number of keyed states dropped to save memory: lost evidence, never a finding. */
      readonly forgotten: number;
      /** Number of exchanges that the judge did not receive; if there are any, the finished cassette must be judged. */
      readonly lost: number;
    };

// Violations on their way from the judging thread to the thread that prints them.

/** Maximum number of violations sent while the traffic is judged; the report has all of them. */
const MOST_PASSED_ON = 1_000;
const EXCHANGES = 2;

/** A violation with its exchanges as they are sent. */
export interface FoundViolation extends Omit<ShownViolation, 'evidence'> {
  /** The exchanges to show; empty if only one line is printed. */
  readonly evidence: readonly WithBodies<PortableBody>[];
}

/** A body as structured clone can copy it. */
interface PortableBody {
  /** Null if only the digest was kept. */
  readonly bytes: Uint8Array | null;
  readonly sha256: string;
  readonly size: number;
  readonly parts: readonly (Omit<FormDataPart, 'body'> & { readonly body: PortableBody })[] | null;
}

/** An exchange whose bodies have type `B`. */
type WithBodies<B> = Omit<Exchange, 'request' | 'response'> & {
  readonly request: Omit<Exchange['request'], 'body'> & { readonly body: B };
  readonly response: (Omit<NonNullable<Exchange['response']>, 'body'> & { readonly body: B }) | null;
};

function mapBodies<A, B>(exchange: WithBodies<A>, change: (body: A) => B): WithBodies<B> {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: { ...request, body: change(request.body) },
    response: response && { ...response, body: change(response.body) },
  };
}

/** Selects the first violation of each requirement and place; array indexes do not distinguish places. */
export class ViolationFilter {
  readonly #length: 'full' | 'line';
  readonly #passed = new Set<string>();

  /** `line`: only one line is printed, so exchanges are not needed. */
  constructor(length: 'full' | 'line') {
    this.#length = length;
  }

  /** The violation as it is sent; null for a repeated one, and once the maximum is reached. */
  first(
    violation: Violation,
    requirement: Requirement,
    evidence: readonly Exchange[],
  ): FoundViolation | null {
    const place = `${requirement.id} ${violation.at.replaceAll(/\d+/g, '[]')}`;
    if (this.#passed.size >= MOST_PASSED_ON || this.#passed.has(place)) return null;
    this.#passed.add(place);
    // A check may name the exchange; otherwise the last one of the evidence completed it.
    const exchange = violation.exchange ?? evidence.at(-1)?.id ?? null;
    const shown = evidence
      .filter(({ id }) => id === exchange || evidence.length <= EXCHANGES)
      .slice(-EXCHANGES);
    return {
      requirement,
      violation,
      exchange,
      evidence: this.#length === 'full' ? shown.map((one) => mapBodies(one, packBody)) : [],
    };
  }
}

function packBody(body: Body): PortableBody {
  const { sha256, size, parts } = body;
  return {
    // Copied, because cloning a view would clone its whole buffer.
    bytes: body.bytes?.slice() ?? null,
    sha256,
    size,
    parts: parts?.map((part) => ({ ...part, body: packBody(part.body) })) ?? null,
  };
}

/** The exchange with its bodies, in the receiving thread. */
export function unpackExchange(exchange: WithBodies<PortableBody>): Exchange {
  return mapBodies(exchange, unpackBody);
}

function unpackBody({ bytes, sha256, size, parts }: PortableBody): Body {
  if (bytes !== null) return Body.from(bytes);
  return Body.digest(sha256, size, parts?.map((part) => ({ ...part, body: unpackBody(part.body) })) ?? null);
}
