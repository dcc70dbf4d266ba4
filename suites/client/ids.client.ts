// Ids in paths and cursors in queries. A trace shows one session; clients may remember ids of earlier ones.

import { eventsOf } from '../../exchange/http/event-stream.ts';
import { ownOperations } from '../../schemas/index.ts';
import { inEveryRequest } from '../vocabulary/changes.ts';
import { withJsonResponse, withRequest, withRequestQuery } from '../vocabulary/exchanges.ts';
import { section } from '../vocabulary/statements.ts';
import type { Call, Collector, Json, Mutation, RequestEvidence, Selector } from '../vocabulary/types.ts';

export interface NamedId {
  readonly at: string;
  readonly id: string;
}

export interface IdEvidence extends RequestEvidence {
  readonly unknown: readonly NamedId[];
}

/** Beyond this many ids nothing is judged: a forgotten id would look unknown. */
const MOST_IDS = 200_000;
const MOST_WAITING = 1000;
const DEPTH = 8;

const EVERY = ownOperations().map(({ id }) => id);

/**
 * Requests whose ids are judged. `named` gives the ids of a request; `isDue` says whether a request with an unknown id is
 * judged, given what was seen so far. An id is unknown only if no response of the whole trace contains it: streams show ids
 * before they end.
 */
export function idEvidence(
  named: (call: Call) => readonly NamedId[],
  isDue: (call: Call, lists: ReadonlySet<string>) => boolean,
): Selector<IdEvidence> {
  return { operations: EVERY, variant: null, collect: () => new IdCollector(named, isDue) };
}

class IdCollector implements Collector<IdEvidence> {
  readonly #named: (call: Call) => readonly NamedId[];
  readonly #isDue: (call: Call, lists: ReadonlySet<string>) => boolean;
  readonly #given = new Set<string>();
  readonly #lists = new Set<string>();
  #waiting: { readonly call: Call; readonly names: readonly NamedId[] }[] = [];

  constructor(
    named: (call: Call) => readonly NamedId[],
    isDue: (call: Call, lists: ReadonlySet<string>) => boolean,
  ) {
    this.#named = named;
    this.#isDue = isDue;
  }

  *call(call: Call): Generator<IdEvidence> {
    const names = this.#named(call);
    const unknown = names.filter(({ id }) => !this.#given.has(id));
    if (names.length > 0 && unknown.length === 0) yield evidenceOf(call, []);
    else if (unknown.length > 0 && this.#isDue(call, this.#lists) && this.#waiting.length < MOST_WAITING)
      this.#waiting.push({ call, names: unknown });
    this.#learn(call);
  }

  /** All responses are known now. */
  *finish(): Generator<IdEvidence> {
    if (this.#given.size >= MOST_IDS) return;
    for (const { call, names } of this.#waiting)
      yield evidenceOf(
        call,
        names.filter(({ id }) => !this.#given.has(id)),
      );
  }

  #learn(call: Call): void {
    const { exchange, responseClass, operation } = call;
    if (responseClass !== 'accepted' || exchange.response === null) return;
    if (operation.list !== null) this.#lists.add(pathOf(call));
    // An accepted request names objects that exist, wherever the client has their ids from.
    for (const id of Object.values(call.path)) this.#add(id);
    if (call.responseJson !== undefined) this.#search(call.responseJson, DEPTH);
    for (const event of eventsOf(exchange.response)?.events ?? [])
      if (event.json !== null) this.#search(event.json.value, DEPTH);
  }

  /** Any string may be an id: the names of id fields differ by object. */
  #search(value: Json, depth: number): void {
    if (typeof value === 'string') this.#add(value);
    else if (typeof value === 'object' && value !== null && depth > 0)
      for (const inner of Object.values(value)) this.#search(inner, depth - 1);
  }

  #add(id: string): void {
    // Ids are short; longer strings are model output.
    if (id.length <= 256 && this.#given.size < MOST_IDS) this.#given.add(id);
  }
}

function evidenceOf(call: Call, unknown: readonly NamedId[]): IdEvidence {
  return { exchanges: [call.exchange], call, asked: call.requestJson, unknown };
}

export function pathOf({ exchange: { request } }: Call): string {
  return request.target.split('?', 1)[0] ?? '';
}

const shapes = section('1 Common shapes');
const lists = section('1 List query parameters (all list endpoints of this document)');

const WITH_IDS = ownOperations()
  .filter(({ path }) => path.includes('{') && !path.includes('{model}'))
  .map(({ id }) => id);
const LISTS = ownOperations()
  .filter(({ list }) => list !== null && list.cursors.length > 0)
  .map(({ id }) => id);

function idsInPath({ operation, path }: Call): readonly NamedId[] {
  if (!WITH_IDS.includes(operation.id)) return [];
  return Object.entries(path).map(([name, id]) => ({ at: `request path ${name}`, id }));
}

function cursorsOf({ operation, query }: Call): readonly NamedId[] {
  if (!LISTS.includes(operation.id)) return [];
  return ['after', 'before'].flatMap((name) => {
    const id = query.get(name);
    return id === null ? [] : [{ at: `request query ${name}`, id }];
  });
}

function isRefused({ responseClass }: Call): boolean {
  return responseClass === 'absent' || responseClass === 'rejected';
}

const UNKNOWN = 'assay-no-such-id';

function withOtherId(make: (id: string) => string): Mutation {
  return inEveryRequest(WITH_IDS, (exchange) => {
    const { target } = exchange.request;
    const other = target.replace(
      /^(\/v1\/[a-z_]+(?:\/jobs)?\/)([^/?]+)/,
      (_, path: string, id: string) => path + make(id),
    );
    return withJsonResponse(
      withRequest(exchange, (request) => ({ ...request, target: other })),
      404,
      {},
    );
  });
}

/**
 * The id may come from an earlier session, so it is reported only if the service does not know it either. A SHOULD, since
 * someone else may have deleted the object.
 */
export const clientIdsGiven = shapes.implied('client.ids.given', {
  level: 'SHOULD',
  says: 'A client names objects by ids that the service gave.',
  selector: idEvidence(idsInPath, isRefused),
  check: ({ unknown }) => unknown.map(({ at, id }) => ({ at, expected: 'an id of an answer', actual: id })),
  mutations: {
    'an invented id': withOtherId(() => UNKNOWN),
    'a longer id': withOtherId((id) => `${id}-longer`),
  },
});

/**
 * The cursor may come from an earlier session, so it is reported only if the client has received a page of this list, or the
 * service refuses it.
 */
export const clientCursorsGiven = lists.stated('client.cursors.given', {
  level: 'SHOULD',
  says: 'A client asks for the page next to an object that the service gave.',
  selector: idEvidence(cursorsOf, (call, seen) => isRefused(call) || seen.has(pathOf(call))),
  check: ({ unknown }) => unknown.map(({ at, id }) => ({ at, expected: 'an id of an answer', actual: id })),
  mutations: {
    'an invented cursor': inEveryRequest(LISTS, (exchange) => withRequestQuery(exchange, 'after', UNKNOWN)),
    'a page number': inEveryRequest(LISTS, (exchange) => withRequestQuery(exchange, 'after', '2')),
  },
});
