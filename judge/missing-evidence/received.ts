import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { Call } from '../trace/call.ts';

/** Names of events that are kept for one operation of one scenario: a target may invent any number. */
const MAX_EVENT_NAMES = 40;
/** Characters of such a name that are kept. */
const MAX_EVENT_NAME = 100;

/** Refused exchanges of one scenario that are kept. */
const MAX_REFUSED = 100;

/** What one scenario received from one operation. */
export interface Received {
  readonly operation: string;
  /** Id of the first exchange. */
  readonly exchange: string;
  /** How often each status came; `none` counts requests without a status line. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Lists without an element. */
  readonly emptyPages: number;
  /** Names of events, in the order in which they first came; chunks have none. */
  readonly events: readonly string[];
}

const REFUSALS: readonly Call['responseClass'][] = ['rejected', 'absent', 'refused'];

interface Tally {
  readonly exchange: string;
  readonly statuses: Map<string, number>;
  emptyPages: number;
  readonly events: Set<string>;
}

/**
 * What each scenario received, for a report on evidence that did not come about. Memory is bounded by the scenarios and
 * operations that are known: labels of other scenarios are ignored.
 */
export class ReceivedByScenario {
  readonly #known: ReadonlySet<string>;
  readonly #tallies = new Map<string, Map<string, Tally>>();
  /** Ids of exchanges by the name of their scenario. */
  readonly #refused = new Map<string, string[]>();

  /** `known`: names of scenarios. */
  constructor(known: Iterable<string>) {
    this.#known = new Set(known);
  }

  /** Counts one call. */
  call(call: Call): void {
    const { scenario, response } = call.exchange;
    if (scenario === null || !this.#known.has(scenario)) return;
    const tally = this.#tally(scenario, call);
    const status = String(response?.status ?? 'none');
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    if (isEmptyPage(call)) tally.emptyPages += 1;
    this.#keepRefused(scenario, call);
    for (const { event } of (response === null ? null : eventsOf(response))?.events ?? [])
      if (event !== '' && tally.events.size < MAX_EVENT_NAMES)
        tally.events.add(event.slice(0, MAX_EVENT_NAME));
  }

  /** What a scenario received from these operations, in their order; operations that it did not call are left out. */
  of(scenario: string, operations: readonly string[]): readonly Received[] {
    return operations.flatMap((operation) => {
      const tally = this.#tallies.get(scenario)?.get(operation);
      if (tally === undefined) return [];
      const { exchange, emptyPages } = tally;
      const statuses = Object.fromEntries([...tally.statuses].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      return [{ operation, exchange, statuses, emptyPages, events: [...tally.events] }];
    });
  }

  /** Ids of the valid requests of a scenario that were refused. */
  refusedIn(scenario: string): readonly string[] {
    return this.#refused.get(scenario) ?? [];
  }

  #keepRefused(scenario: string, { exchange, responseClass }: Call): void {
    if (!REFUSALS.includes(responseClass) || exchange.probe?.side === 'violation') return;
    const refused = this.#refused.get(scenario) ?? [];
    this.#refused.set(scenario, refused);
    if (refused.length < MAX_REFUSED) refused.push(exchange.id);
  }

  #tally(scenario: string, { operation, exchange }: Call): Tally {
    const ofScenario = this.#tallies.get(scenario) ?? new Map<string, Tally>();
    this.#tallies.set(scenario, ofScenario);
    const known = ofScenario.get(operation.id);
    if (known !== undefined) return known;
    const tally = { exchange: exchange.id, statuses: new Map(), emptyPages: 0, events: new Set<string>() };
    ofScenario.set(operation.id, tally);
    return tally;
  }
}

/** Whether a list was answered without an element. */
function isEmptyPage({ operation, responseJson: page }: Call): boolean {
  if (operation.list === null || typeof page !== 'object' || page === null || !('data' in page)) return false;
  return Array.isArray(page['data']) && page['data'].length === 0;
}
