import { eventsOf } from '../../exchange/http/event-stream.ts';
import { addCount, getOrMake } from '../../schemas/maps.ts';
import type { Call } from '../trace/call.ts';
import { FirstTexts } from '../trace/first-facts.ts';
import { valueAtPath } from '../trace/json.ts';
import { earlier, earliestOf, MAX_PARTS, numberOf, type Timed } from '../trace/timed.ts';
import type { Received } from '../verdict/cause.ts';
import { quoteBeginning } from '../verdict/findings.ts';

const MAX_EVENT_NAMES = 40;
const MAX_EVENT_NAME_LENGTH = 100;
const MAX_REFUSED = 100;
const REFUSAL_CLASSES: readonly Call['responseClass'][] = ['rejected', 'absent', 'refused'];

interface ReceivedCounts {
  first: Timed<string> | null;
  readonly statuses: Map<string, number>;
  emptyPages: number;
  readonly events: FirstTexts;
}

/** Ignores unknown scenarios, to bound memory. */
export class ReceivedByScenario {
  readonly #known: ReadonlySet<string>;
  readonly #tallies = new Map<string, Map<string, ReceivedCounts>>();
  readonly #refused = new Map<string, FirstTexts>();

  constructor(known: Iterable<string>) {
    this.#known = new Set(known);
  }

  /** `at`: how many exchanges have ended. */
  call(call: Call, at: number): void {
    const { id, scenario, response } = call.exchange;
    if (scenario === null || !this.#known.has(scenario)) return;
    const tally = this.#tallyOf(scenario, call.operation.id);
    tally.first = earlier(tally.first, { at, by: numberOf(id), value: id });
    addCount(tally.statuses, String(response?.status ?? 'none'), 1);
    const page = call.operation.list === null ? undefined : valueAtPath(call.responseJson, 'data');
    if (Array.isArray(page) && page.length === 0) tally.emptyPages += 1;
    if (isRefused(call)) this.#refusedBy(scenario).add(id, at);
    const stream = response === null ? null : eventsOf(response);
    // Most events of a stream have the same name as the previous event.
    let previous = '';
    for (const [n, { event }] of (stream?.events ?? []).entries()) {
      if (event !== '' && event !== previous)
        tally.events.add(quoteBeginning(event, MAX_EVENT_NAME_LENGTH), at + n / MAX_PARTS);
      previous = event;
    }
  }

  part() {
    return [...this.#tallies].map(([scenario, tallies]) => ({
      scenario,
      tallies: [...tallies].map(([operation, tally]) => ({
        operation,
        first: tally.first,
        statuses: [...tally.statuses],
        emptyPages: tally.emptyPages,
        events: tally.events.part(),
      })),
      refused: this.#refused.get(scenario)?.part() ?? [],
    }));
  }

  absorb(parts: ReturnType<ReceivedByScenario['part']>): void {
    for (const { scenario, tallies, refused } of parts.filter((part) => this.#known.has(part.scenario))) {
      this.#refusedBy(scenario).absorb(refused);
      for (const { operation, first, statuses, emptyPages, events } of tallies) {
        const tally = this.#tallyOf(scenario, operation);
        tally.first = earliestOf(tally.first, first);
        for (const [status, times] of statuses) addCount(tally.statuses, status, times);
        tally.emptyPages += emptyPages;
        tally.events.absorb(events);
      }
    }
  }

  receivedBy(scenarios: readonly string[], operations: readonly string[]): readonly Received[] {
    return operations.flatMap((operation) => {
      const tallies = scenarios.flatMap((name) => this.#tallies.get(name)?.get(operation) ?? []);
      return tallies.length === 0 ? [] : [receivedFrom(operation, tallies)];
    });
  }

  /** Ids of the exchanges of a scenario that were refused, except labelled violations; at most `MAX_REFUSED`. */
  refusedIn(scenario: string): readonly string[] {
    return this.#refused.get(scenario)?.texts ?? [];
  }

  #refusedBy(scenario: string): FirstTexts {
    return getOrMake(this.#refused, scenario, () => new FirstTexts(MAX_REFUSED));
  }

  #tallyOf(scenario: string, operation: string): ReceivedCounts {
    const byOperation = getOrMake(this.#tallies, scenario, () => new Map());
    return getOrMake(byOperation, operation, () => ({
      first: null,
      statuses: new Map(),
      emptyPages: 0,
      events: new FirstTexts(MAX_EVENT_NAMES),
    }));
  }
}

function receivedFrom(operation: string, tallies: readonly ReceivedCounts[]): Received {
  const statuses = new Map<string, number>();
  let first: Timed<string> | null = null;
  for (const tally of tallies) {
    first = earliestOf(first, tally.first);
    for (const [status, times] of tally.statuses) addCount(statuses, status, times);
  }
  return {
    operation,
    exchange: first?.value ?? '',
    statuses: Object.fromEntries([...statuses].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    emptyPages: tallies.reduce((sum, { emptyPages }) => sum + emptyPages, 0),
    events: [...new Set(tallies.flatMap(({ events }) => events.texts))].slice(0, MAX_EVENT_NAMES),
  };
}

function isRefused({ exchange, responseClass }: Call): boolean {
  return REFUSAL_CLASSES.includes(responseClass) && exchange.probe?.side !== 'violation';
}
