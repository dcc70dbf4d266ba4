// Ids in paths and cursors in queries. A trace shows one session; clients may remember ids of earlier ones.
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { ownOperations } from '../../schemas/index.ts';
import { rowOf } from '../rows/rows.ts';
import { inEveryRequest } from '../vocabulary/changes.ts';
import { follow } from '../vocabulary/collecting.ts';
import { withJsonResponse, withRequest } from '../vocabulary/exchanges.ts';
import type { Call, Collector, Json, Mutation, RequestEvidence, Selector } from '../vocabulary/types.ts';
import { evidenceFrom, PAGED_OPERATIONS, pathOf } from './evidence.ts';

interface NamedId {
  readonly at: string;
  readonly id: string;
}

interface IdEvidence extends RequestEvidence {
  /**
   * Ids that no accepted request of the trace has in its path, and no response to one shows. Later ones count as well,
   * because a stream shows ids before it ends.
   */
  readonly unknown: readonly NamedId[];
}

/** Once this many ids are known, no id is reported as unknown, because further ones are not collected. */
const MAX_IDS = 200_000;
const MAX_WAITING = 1000;
const MAX_DEPTH = 8;
/** Ids are short; longer strings are model output. */
const MAX_ID_LENGTH = 256;

/** Operations with ids in their paths. Names of models are no ids: clients know them without a response. */
const OPERATIONS_WITH_IDS = ownOperations()
  .filter(({ path }) => path.includes('{') && !path.includes('{model}'))
  .map(({ id }) => id);

interface IdRule {
  readonly idsIn: (call: Call) => readonly NamedId[];
  /** Whether a request with an unknown id is judged. `lists` are the paths of the lists that were shown so far. */
  readonly isDue: (call: Call, lists: ReadonlySet<string>) => boolean;
}

class IdCollector implements Collector<IdEvidence> {
  readonly #rule: IdRule;
  readonly #known = new Set<string>();
  readonly #lists = new Set<string>();
  readonly #waiting: { readonly call: Call; readonly unknown: readonly NamedId[] }[] = [];

  constructor(rule: IdRule) {
    this.#rule = rule;
  }

  *call(call: Call): Generator<IdEvidence> {
    const ids = this.#rule.idsIn(call);
    const unknown = this.#selectUnknown(ids);
    if (ids.length > 0 && unknown.length === 0) yield evidenceFrom(call, { unknown });
    else if (unknown.length > 0 && this.#rule.isDue(call, this.#lists) && this.#waiting.length < MAX_WAITING)
      this.#waiting.push({ call, unknown });
    this.#learn(call);
  }

  /** Judges the waiting requests, because all responses are known at the end of the trace. */
  *finish(): Generator<IdEvidence> {
    if (this.#known.size >= MAX_IDS) return;
    for (const { call, unknown } of this.#waiting)
      yield evidenceFrom(call, { unknown: this.#selectUnknown(unknown) });
  }

  #selectUnknown(ids: readonly NamedId[]): readonly NamedId[] {
    return ids.filter(({ id }) => !this.#known.has(id));
  }

  #learn(call: Call): void {
    const { exchange, responseClass, operation } = call;
    if (responseClass !== 'accepted' || exchange.response === null) return;
    if (operation.list !== null) this.#lists.add(pathOf(call));
    // An accepted request names existing objects, wherever the client got their ids from.
    this.#search(call.path, 1);
    if (call.responseJson !== undefined) this.#search(call.responseJson, MAX_DEPTH);
    for (const { json } of eventsOf(exchange.response)?.events ?? [])
      if (json !== null) this.#search(json.value, MAX_DEPTH);
  }

  /** Any string may be an id: the names of id fields differ by object. */
  #search(value: Json, depth: number): void {
    if (typeof value === 'string') {
      if (value.length <= MAX_ID_LENGTH && this.#known.size < MAX_IDS) this.#known.add(value);
    } else if (typeof value === 'object' && value !== null && depth > 0)
      for (const inner of Object.values(value)) this.#search(inner, depth - 1);
  }
}

function idEvidence(rule: IdRule): Selector<IdEvidence> {
  const operations = ownOperations().map(({ id }) => id);
  return follow(operations, () => new IdCollector(rule));
}

function isRejectedOrAbsent({ responseClass }: Call): boolean {
  return responseClass === 'absent' || responseClass === 'rejected';
}

function replaceIds(make: (id: string) => string): Mutation {
  return inEveryRequest(OPERATIONS_WITH_IDS, (exchange) => {
    const target = exchange.request.target.replace(
      /^(\/v1\/[a-z_]+(?:\/jobs)?\/)([^/?]+)/,
      (_, path: string, id: string) => path + make(id),
    );
    const edited = withRequest(exchange, (request) => ({ ...request, target }));
    return withJsonResponse(edited, 404, {});
  });
}

/**
 * The id may come from an earlier session, so it is reported only if the service rejects the request or does not find
 * the object. The requirement is a SHOULD, because someone else may have deleted the object.
 */
export const idsGiven = rowOf<IdEvidence>('client.ids.given', {
  evidence: idEvidence({
    idsIn: ({ operation, path }) =>
      OPERATIONS_WITH_IDS.includes(operation.id)
        ? Object.entries(path).map(([name, id]) => ({ at: `request path ${name}`, id }))
        : [],
    isDue: isRejectedOrAbsent,
  }),
  broken_by: {
    'an invented id': replaceIds(() => 'assay-no-such-id'),
    'a longer id': replaceIds((id) => `${id}-longer`),
  },
});

/**
 * The cursor may come from an earlier session, so it is reported only if the client has received a page of this list,
 * or the service rejects it.
 */
export const cursorsGiven = rowOf<IdEvidence>('client.cursors.given', {
  evidence: idEvidence({
    idsIn: ({ operation, query }) =>
      ['after', 'before'].flatMap((name) => {
        const id = PAGED_OPERATIONS.includes(operation.id) ? query.get(name) : null;
        return id ? [{ at: `request query ${name}`, id }] : [];
      }),
    isDue: (call, lists) => isRejectedOrAbsent(call) || lists.has(pathOf(call)),
  }),
});
