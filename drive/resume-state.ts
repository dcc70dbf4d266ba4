import { openCassette } from '../exchange/cassette/cassette.ts';
import type { Exchange, HttpRequest } from '../exchange/exchange.ts';
import { Body } from '../exchange/http/body.ts';
import { BodyDigest, formDataParts } from '../exchange/http/form-data.ts';

import { canonicalRequest, matchKey } from '../exchange/matching/request-key.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import { needsCleanup, readLedger } from './cleanup/resource-ledger.ts';
import type { RunConfiguration } from './configuration/configuration.ts';
import type { CallInput } from './scenario/scenario.ts';
import { encodeRequest } from './target/encode-request.ts';
import type { OutgoingRequest } from './target/target.ts';

/** A scenario whose objects wait on the target for a state. */
export interface WaitingScenario {
  /** Name of the scenario, as notes and the ledger have it. */
  readonly scenario: string;
  /** The tag in all objects that it created. */
  readonly tag: string;
  /** The last state that was seen, and the exchange that showed it. */
  readonly state: string;
  readonly exchange: string;
}

/** An earlier run, as far as another one needs it to go on. */
export interface PreviousRun {
  readonly header: TraceHeader;
  readonly waitingScenarios: readonly WaitingScenario[];
  /** The responses that each waiting scenario has received. */
  readonly resumeStates: ReadonlyMap<string, ResumeState>;
}

/**
 * Reads what a run left waiting out of its cassette; what its ledger knows to be cleaned up since waits no more. Throws
 * CassetteError when the cassette does not exist, or is in use, and ConfigurationError without a ledger.
 */
export async function readPreviousRun(dir: string, ledger: string): Promise<PreviousRun> {
  const { entries } = readLedger(ledger);
  const kept = new Set(entries.filter(needsCleanup).map(({ scenario }) => scenario));
  const cassette = await openCassette(dir);
  try {
    const waitingScenarios = new Map<string, WaitingScenario>();
    const repeated = new Set<string>();
    for (const note of cassette.placedNotes()) {
      if (note.note === 'scenario-ended') waitingScenarios.delete(note.scenario);
      else if (note.note === 'retry') repeated.add(note.of);
      else if (note.note === 'deadline' && note.tag !== undefined && kept.has(note.scenario)) {
        const { scenario, tag, state, exchange } = note;
        waitingScenarios.set(scenario, { scenario, tag, state, exchange });
      }
    }
    const answered = new Map([...waitingScenarios.keys()].map((name) => [name, [] as Keyed[]]));
    for (let k = 0; k < cassette.size; k += 1) {
      const asked = cassette.request(k);
      const own = answered.get(asked.scenario ?? '');
      if (own === undefined || repeated.has(`e${k + 1}`)) continue;
      own.push({ key: cassette.key(k), exchange: cassette.exchange(k) });
    }
    const resumeStates = new Map(
      [...answered].map(([name, own]) => [name, new ResumeState(own.filter(wasHeard))]),
    );
    return { header: cassette.header, waitingScenarios: [...waitingScenarios.values()], resumeStates };
  } finally {
    cassette.close();
  }
}

/**
 * An earlier exchange with the key that replay matches by: method, path, sorted query, canonical body, beta
 * header.
 */
interface Keyed {
  readonly key: string;
  readonly exchange: Exchange;
}

/** Requests that were in progress when the run was stopped are sent again. */
function wasHeard({ exchange: { response, end } }: Keyed): boolean {
  return response !== null || (end.how !== 'client-abort' && end.how !== 'recorder-killed');
}

/** The earlier responses of a scenario: the same request again gets the same answer, in order, and is not sent. */
export class ResumeState {
  /** Responses that no request has used yet, in recorded order. */
  readonly #left: Keyed[];
  readonly #ids: ReadonlySet<string>;

  constructor(answered: readonly Keyed[]) {
    this.#left = [...answered];
    this.#ids = new Set(answered.map(({ exchange }) => exchange.id));
  }

  /** Whether responses remain that no request has used. */
  get more(): boolean {
    return this.#left.length > 0;
  }

  /** Whether an exchange is of the earlier run. */
  holds(exchange: Exchange): boolean {
    return this.#ids.has(exchange.id);
  }

  /** The exchange that a call had; null where it had none, so that it has to be sent. */
  async answer(
    configuration: RunConfiguration,
    operation: string,
    input: CallInput,
  ): Promise<Exchange | null> {
    if (!this.more) return null;
    const outgoing = await encodeRequest(configuration, operation, input);
    const isSame = await this.#sameAs(outgoing, configuration.betaHeader);
    const place = this.#left.findIndex(isSame);
    if (place === -1) return null;
    const [found] = this.#left.splice(place, 1);
    return found?.exchange ?? null;
  }

  /** A test for equality with an outgoing request, by the key of its body as it would be recorded. */
  async #sameAs(outgoing: OutgoingRequest, betaHeader: string): Promise<(one: Keyed) => boolean> {
    const { method, target, headers, body } = outgoing;
    if (body === null || !('chunks' in body))
      return keyed({ method, target, headers, body: Body.of(body ?? new Uint8Array(0)) }, betaHeader);
    const isThere = ({ exchange: { request } }: Keyed) =>
      request.method === method && request.target === target;
    // Half a gigabyte is not generated only to be compared with requests to other paths.
    if (!this.#left.some(isThere)) return () => false;
    const digest = new BodyDigest(headers);
    for await (const chunk of body.chunks) digest.push(chunk);
    const isEqual = keyed({ method, target, headers, body: digest.finish() }, betaHeader);
    return (one) => isEqual(one) || (isThere(one) && isCut(one, body.size));
  }
}

function keyed(request: HttpRequest, betaHeader: string): (one: Keyed) => boolean {
  const key = matchKey(canonicalRequest(request, [betaHeader]));
  return (one) => one.key === key;
}

/** A target that refuses a body before it has all of it leaves no form to compare, only how much was sent. */
function isCut({ exchange: { request } }: Keyed, size: number): boolean {
  return request.body.size < size && formDataParts(request) === null;
}
