import { operation } from '../../schemas/index.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { hashText } from '../state/ids.ts';
import type { Service } from '../state/service.ts';
import {
  changeEvents,
  changeResponse,
  cloneJson,
  envelopeElements,
  type FaultyEvent,
  replaceBody,
  setAtPointer,
  type ValueChange,
} from './changes.ts';
import type { FaultHooks, HandlerOverride } from './hooks.ts';

/** Computes the object to show in place of one that the service would show; undefined properties are left out. */
export type ObjectChange = (
  shown: JsonObject,
  request: HandlerRequest,
) => Readonly<Record<string, Json | undefined>>;

/** Hooks for the requests to some operations. */
export interface Interception {
  /** Operation ids: `createChatCompletion`. */
  readonly on: readonly string[];
  /** The hooks, of which `door` is ignored. */
  readonly does: FaultHooks;
}

/**
 * A behaviour that conforms as well as the usual one. Without `shows` and `intercepts`, it is implemented in the
 * handler, which calls `service.takes`.
 */
export interface Alternative {
  /** How objects are shown instead, by their `object`, in responses, lists and events. */
  readonly shows?: Readonly<Record<string, ObjectChange>>;
  /** Hooks by operations, applied in this order; the first is closest to the handler. */
  readonly intercepts?: readonly Interception[];
  /** Its name in reports if the ledger's word covers many: `also content_filter` for `others too`. */
  readonly reported?: string;
  /** Choices that cannot be seen if this alternative is taken. */
  readonly hides?: readonly string[];
  /** Why a run with default options may have no evidence of it. */
  readonly unseen?: string;
}

/** A point that the specification leaves open: the usual behaviour of the service and the alternatives. */
export interface ChoiceEntry {
  /** As in `suites/ledger.json`. */
  readonly usual: string;
  /** Alternatives as the ledger names them. `--choices contrary` takes the first. */
  readonly others: Readonly<Record<string, Alternative>>;
}

export type ChoiceTable = Readonly<Record<string, ChoiceEntry>>;

/** An alternative that the handler implements itself. */
export const inPlace: Alternative = {};

export function showField(kind: string, change: ObjectChange): Alternative {
  return { shows: { [kind]: change } };
}

/** Shows a field with another value; undefined removes it. `*` selects every element. */
export function field(kind: string, pointer: string, value: ValueChange | Json): Alternative {
  return showField(kind, (object) => objectOf(setAtPointer(object, pointer, value)));
}

/**
 * Changes the JSON responses of operations. For responses without an `object`, and for changes to a single operation.
 */
export function answers(
  on: readonly string[],
  change: (answer: JsonObject, request: HandlerRequest) => Json,
): Alternative {
  return intercepting(
    on,
    changeResponse((answer, request) => change(objectOf(answer), request)),
  );
}

/** Changes streams. All events are known before the first is sent. */
export function events(
  on: readonly string[],
  change: (events: readonly FaultyEvent[], request: HandlerRequest) => readonly FaultyEvent[],
): Alternative {
  return intercepting(on, changeEvents(change));
}

/** The handlers see a changed body. Fields that the request schema rejects never reach the change. */
export function reads(on: readonly string[], change: (body: JsonObject) => JsonObject): Alternative {
  return intercepting(on, replaceBody(change));
}

/** Rejects valid requests for which `isMeant` returns true, with 400. */
export function refuses(on: readonly string[], isMeant: (request: HandlerRequest) => boolean): Alternative {
  return intercepting(on, {
    handle: (request, proceed) => {
      const sent = request.request.body;
      if (!isMeant(isJsonObject(sent) ? { ...request, body: sent } : request)) return proceed(request);
      throw ApiError.invalid(null, 'This service does not accept such a request.');
    },
  });
}

/** Responds to requests that name an unknown model with another model. */
export function answersByOther(operation: string, model: string): Alternative {
  return intercepting([operation], {
    handle: async (request, proceed) => {
      try {
        return await proceed(request);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404 || error.param !== 'model') throw error;
        return proceed({ ...request, body: { ...request.body, model } });
      }
    },
  });
}

export function intercepting(on: readonly string[], does: FaultHooks): Alternative {
  return { intercepts: [{ on, does }] };
}

/** Several alternatives at once, each for different kinds of objects. */
export function allOf(alternatives: readonly Alternative[]): Alternative {
  return {
    shows: Object.assign({}, ...alternatives.map(({ shows }) => shows)),
    intercepts: alternatives.flatMap(({ intercepts = [] }) => intercepts),
  };
}

export function dropFields(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** The value as an object; an empty one for anything else. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The elements of an array; none for anything else. */
export function elementsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

type Elements = readonly JsonObject[];
type Query = HandlerRequest['query'];

const ALL = 1_000_000;

type PageChoice = (all: Elements, query: Query) => { readonly data: Elements; readonly hasMore: boolean };

/** Changes the order of lists; cursors follow the new order. */
export function reordered(on: readonly string[], change: (all: Elements) => Elements): Alternative {
  return paged(on, (all, query) => cursorPage(change(all), query));
}

export function paged(on: readonly string[], choose: PageChoice): Alternative {
  return allOf(
    on.map((id) => intercepting([id], { handle: relisted(choose, operation(id).list?.defaultLimit ?? 20) })),
  );
}

/** An order derived from the ids only, and so neither that of creation nor its reverse. */
export function shuffled(all: Elements): Elements {
  return all.toSorted((a, b) => hashText(String(a['id'])) - hashText(String(b['id'])));
}

export function reversed(all: Elements): Elements {
  return all.toReversed();
}

/** Reverses the elements of the same second. */
export function reversedSeconds(all: Elements): Elements {
  const runs: JsonObject[][] = [];
  for (const element of all) {
    const last = runs.at(-1);
    if (last?.[0]?.['created_at'] === element['created_at'] && last !== undefined) last.unshift(element);
    else runs.push([element]);
  }
  return runs.flat();
}

/** Fetches the whole list, then picks the page. Cursors that are not in the list are left to the handler. */
function relisted(choose: PageChoice, defaultLimit: number): HandlerOverride {
  return async (request, proceed) => {
    const { after, before, limit = defaultLimit, ...rest } = request.query;
    const whole = await proceed({ ...request, query: { ...rest, limit: ALL } });
    const all = envelopeElements(cloneJson(whole));
    const isHere = (id: unknown) => id === undefined || all.some((element) => element['id'] === id);
    if (!isHere(after) || !isHere(before)) return proceed(request);
    const { data, hasMore } = choose(all, { after, before, limit });
    const envelope = { ...objectOf(cloneJson(whole)), data, has_more: hasMore };
    if (!('first_id' in envelope)) return envelope;
    return { ...envelope, first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
  };
}

/** The page after one cursor, or directly before the other. */
function cursorPage(all: Elements, query: Query): ReturnType<PageChoice> {
  const { after, before } = query;
  const limit = limitOf(query);
  const place = (id: unknown) => all.findIndex((element) => element['id'] === id);
  const wanted = all.slice(
    after === undefined ? 0 : place(after) + 1,
    before === undefined ? all.length : Math.max(0, place(before)),
  );
  const fromTheEnd = before !== undefined && after === undefined;
  const data = fromTheEnd ? wanted.slice(Math.max(0, wanted.length - limit)) : wanted.slice(0, limit);
  return { data, hasMore: wanted.length > data.length };
}

/** The first elements of the list before the cursor. */
export function firstOfList(all: Elements, query: Query): ReturnType<PageChoice> {
  const { after, before } = query;
  if (before === undefined || after !== undefined) return cursorPage(all, query);
  const wanted = all.slice(
    0,
    all.findIndex((element) => element['id'] === before),
  );
  const data = wanted.slice(0, limitOf(query));
  return { data, hasMore: wanted.length > data.length };
}

function limitOf({ limit }: Query): number {
  return typeof limit === 'number' ? limit : ALL;
}

export function reorderedWhole(
  on: readonly string[],
  order: (all: readonly JsonObject[]) => readonly JsonObject[],
): Alternative {
  return answers(on, (list) => ({ ...list, data: order(elementsOf(list['data']).map(objectOf)) }));
}

/**
 * Confirms deletions to which the service would respond with 404, if `isMeant` is true for the path. `kind`: the
 * `object` of the confirmation.
 */
export function confirmDeletion(
  operation: string,
  kind: string,
  isMeant: (service: Service, path: Readonly<Record<string, string>>) => boolean,
): Alternative {
  return intercepting([operation], {
    forgive: ({ status }, { params }, service) =>
      status === 404 && isMeant(service, params)
        ? { id: Object.values(params).at(-1) ?? '', object: kind, deleted: true }
        : null,
  });
}
