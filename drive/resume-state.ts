import { openCassette } from '../exchange/cassette/cassette.ts';
import type { Exchange, HttpRequest } from '../exchange/exchange.ts';
import { Body } from '../exchange/http/body.ts';
import { BodyDigest } from '../exchange/http/body-digest.ts';
import { isCutShort } from '../exchange/http/content.ts';
import { firstHeader } from '../exchange/http/headers.ts';
import { canonicalRequest, matchKey } from '../exchange/matching/request-key.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { needsCleanup, readLedger } from './cleanup/resource-ledger.ts';
import type { RunConfiguration } from './configuration/configuration.ts';
import type { CallInput } from './scenario/scenario.ts';
import { encodeRequest } from './target/encode-request.ts';
import type { OutgoingRequest } from './target/target.ts';

export interface WaitingScenario {
  readonly scenario: string;
  /** Its tag in the earlier run, which it keeps. */
  readonly tag: string;
  /** Last state seen: the field `status`; without it, a text such as `HTTP 200`, or `no response`. */
  readonly state: string;
  /** Id of the exchange that showed the state: `e17`. */
  readonly exchange: string;
}

export interface PreviousRun {
  readonly header: TraceHeader;
  readonly waitingScenarios: readonly WaitingScenario[];
  readonly resumeStates: ReadonlyMap<string, ResumeState>;
}

/**
 * Reads the waiting scenarios of a cassette and their exchanges; if the ledger records the objects of a scenario as
 * cleaned up, it does not wait. Rejects with CassetteError or, if the ledger cannot be read, with ConfigurationError.
 */
export async function readPreviousRun(dir: string, ledger: string): Promise<PreviousRun> {
  const { entries } = readLedger(ledger);
  const uncleanedScenarios = new Set(entries.filter(needsCleanup).map(({ scenario }) => scenario));
  const cassette = await openCassette(dir, { isInterruptionExpected: true });
  try {
    const waitingScenarios = new Map<string, WaitingScenario>();
    const retriedIds = new Set<string>();
    for (const note of cassette.placedNotes()) {
      if (note.note === 'scenario-ended') waitingScenarios.delete(note.scenario);
      else if (note.note === 'retry') retriedIds.add(note.of);
      else if (note.note === 'deadline' && note.tag !== undefined && uncleanedScenarios.has(note.scenario)) {
        const { scenario, tag, state, exchange } = note;
        waitingScenarios.set(scenario, { scenario, tag, state, exchange });
      }
    }
    const keyedExchanges = new Map([...waitingScenarios.keys()].map((name) => [name, [] as KeyedExchange[]]));
    for (let k = 0; k < cassette.size; k += 1) {
      const exchanges = keyedExchanges.get(cassette.request(k).scenario ?? '');
      if (exchanges === undefined || retriedIds.has(`e${k + 1}`)) continue;
      exchanges.push({ key: cassette.key(k), exchange: cassette.exchange(k) });
    }
    const resumeStates = new Map(
      [...keyedExchanges].map(([name, exchanges]) => [name, new ResumeState(exchanges.filter(isReusable))]),
    );
    return { header: cassette.header, waitingScenarios: [...waitingScenarios.values()], resumeStates };
  } finally {
    cassette.close();
  }
}

interface KeyedExchange {
  readonly key: string;
  readonly exchange: Exchange;
}

type ExchangeTest = (candidate: KeyedExchange) => boolean;

function isReusable({ exchange: { response, end } }: KeyedExchange): boolean {
  return response !== null || (end.how !== 'client-abort' && end.how !== 'recorder-killed');
}

/** Each exchange of the earlier run serves the next equal request, which is then not sent. */
export class ResumeState {
  readonly #unused: KeyedExchange[];
  readonly #ids: ReadonlySet<string>;

  constructor(exchanges: readonly KeyedExchange[]) {
    this.#unused = [...exchanges];
    this.#ids = new Set(exchanges.map(({ exchange }) => exchange.id));
  }

  get hasMore(): boolean {
    return this.#unused.length > 0;
  }

  /** Whether the exchange comes from the earlier run, used or not. */
  holds(exchange: Exchange): boolean {
    return this.#ids.has(exchange.id);
  }

  /** Null if no earlier exchange is left for the call, which then has to be sent. */
  async take(configuration: RunConfiguration, operation: string, input: CallInput): Promise<Exchange | null> {
    if (!this.hasMore) return null;
    const outgoing = await encodeRequest(configuration, operation, input);
    const i = this.#unused.findIndex(await this.#makeEqualityTest(outgoing, configuration.betaHeader));
    return i === -1 ? null : (this.#unused.splice(i, 1)[0]?.exchange ?? null);
  }

  async #makeEqualityTest(outgoing: OutgoingRequest, betaHeader: string): Promise<ExchangeTest> {
    const { method, target, headers, body } = outgoing;
    if (body === null || !('chunks' in body))
      return makeKeyTest({ method, target, headers, body: Body.from(body ?? new Uint8Array(0)) }, betaHeader);
    const hasTarget = ({ exchange: { request } }: KeyedExchange) =>
      request.method === method && request.target === target;
    // The body may be half a gigabyte, so it is generated only if a recorded request has the same target.
    if (!this.#unused.some(hasTarget)) return () => false;
    const digest = new BodyDigest(headers);
    for await (const chunk of body.chunks) digest.push(chunk);
    const isEqual = makeKeyTest({ method, target, headers, body: digest.finish() }, betaHeader);
    return (candidate) => isEqual(candidate) || (hasTarget(candidate) && isPartial(candidate, body.size));
  }
}

function makeKeyTest(request: HttpRequest, betaHeader: string): ExchangeTest {
  const key = matchKey(canonicalRequest(request, [betaHeader]));
  return (candidate) => candidate.key === key;
}

function isPartial({ exchange: { request } }: KeyedExchange, size: number): boolean {
  return isCutShort(request) && firstHeader(request.headers, 'content-length') === String(size);
}
