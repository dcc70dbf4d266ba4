import { subjectOf } from '../../judge/probe/constraints.ts';
import { callerOf, isOfUnknownCaller } from '../../judge/trace/callers.ts';
import type { OutsideCall } from '../../judge/trace/outside-call.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { type ListTraits, type Operation, ownOperations, schema, type Variant } from '../../schemas/index.ts';
import { Deferred, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded, that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Collector, Evidence, Json, Selector, TraceSpan, Violation } from '../vocabulary/types.ts';

export interface ListRow {
  readonly subject: string;
  readonly operation: Operation;
  readonly variant: Variant;
  /** True if another form of the same list counts as well. */
  readonly isOneOfTwo: boolean;
  readonly traits: ListTraits;
  readonly takesLimit: boolean;
  readonly envelope: readonly string[];
  readonly parents: readonly string[];
  /** The operation that creates an element by a POST to the path of the list. */
  readonly create: string | null;
  /** Operations that remove an element, or change or delete the owner of the list. */
  readonly disturb: readonly string[];
}

let rows: readonly ListRow[] | undefined;

export function listRows(): readonly ListRow[] {
  rows ??= ownOperations().flatMap((operation) => {
    const counted = operation.variants.filter((variant) => variant.counted);
    return operation.list === null ? [] : counted.map((variant) => rowOf(operation, variant, counted));
  });
  return rows;
}

function rowOf(operation: Operation, variant: Variant, counted: readonly Variant[]): ListRow {
  const { list: traits, path } = operation;
  if (traits === null) throw new Error(`${operation.id} is not a list.`);
  return {
    subject: subjectOf(operation, variant),
    operation,
    variant,
    isOneOfTwo: counted.length > 1,
    traits,
    takesLimit: operation.parameters.some(({ name }) => name === 'limit'),
    envelope: envelopeOf(variant),
    parents: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    create: ownOperations().find((other) => other.method === 'POST' && other.path === path)?.id ?? null,
    disturb: ownOperations()
      .filter((other) => disturbs(other, path))
      .map(({ id }) => id),
  };
}

function envelopeOf(variant: Variant): readonly string[] {
  const name = variant.answers[0]?.schema;
  const properties = name === null || name === undefined ? null : schema(name)['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

/**
 * Deletions of elements and owners, modifications of owners, deletions of the files behind elements, and operations that may add
 * an element again.
 */
function disturbs({ method, path }: Operation, list: string): boolean {
  const isOwner = list.startsWith(`${path}/`) && path.endsWith('}');
  if (method === 'POST') return isOwner || (path !== list && isAddition(path, list));
  if (method !== 'DELETE') return false;
  const isElement = path.startsWith(`${list}/`);
  // The elements are files: deleting the file, or its copy in the same store, may remove them.
  const isFile = list.endsWith('/files') && (path === '/v1/files/{file_id}' || isSibling(path, list));
  return isOwner || isElement || isFile;
}

function isAddition(path: string, list: string): boolean {
  const store = '/v1/vector_stores/{vector_store_id}';
  return list.startsWith(`${store}/`) && [`${store}/files`, `${store}/file_batches`].includes(path);
}

function isSibling(path: string, list: string): boolean {
  return path.endsWith('/files/{file_id}') && path.split('/')[2] === list.split('/')[2];
}

export type ListOrder = 'asc' | 'desc';

export interface ListElement {
  readonly id: string;
  readonly index: number;
  /** Unix seconds; undefined if it states none. */
  readonly created: number | undefined;
  readonly value: Json;
}

export interface AnsweredPage {
  readonly row: ListRow;
  readonly call: Call;
  /** Other callers may see other elements of the same list. */
  readonly caller: string;
  readonly owners: readonly string[];
  readonly limit: string | null;
  /** `limit` as a number; null for an invalid one, whose effect is left open. */
  readonly most: number | null;
  readonly after: string | null;
  readonly before: string | null;
  /** The requested or default order; null if the list has none or the request an invalid one. */
  readonly order: ListOrder | null;
  readonly isDefaultOrder: boolean;
  readonly filters: Readonly<Record<string, string>>;
  /** False if a filter lets elements leave the list by themselves, as files leave `in_progress`. */
  readonly isLasting: boolean;
  readonly elements: readonly ListElement[];
  /** Undefined if absent or not a boolean. */
  readonly hasMore: boolean | undefined;
}

/** Filters by a property that never changes. */
const LASTING_FILTERS: readonly string[] = ['run_id', 'purpose'];

/** A response as a page; null if it is not a list. Skips elements without an id. */
function pageOf(row: ListRow, call: Call): AnsweredPage | null {
  const { responseJson: answer, query } = call;
  const data = valueAtPath(answer, 'data');
  if (!Array.isArray(data)) return null;
  const hasMore = valueAtPath(answer, 'has_more');
  const filters = row.traits.filters.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    row,
    call,
    caller: callerOf(call.exchange.request),
    owners: row.parents.map((name) => call.path[name] ?? ''),
    limit: query.get('limit'),
    most: validLimit(query.get('limit'), row.traits.maxLimit),
    after: query.get('after'),
    before: query.get('before'),
    order: row.traits.order ? orderOf(query.get('order')) : null,
    isDefaultOrder: !query.has('order'),
    filters: Object.fromEntries(filters),
    isLasting: filters.every(([name]) => LASTING_FILTERS.includes(name)),
    elements: data.flatMap((value, index) => elementOf(value, index)),
    hasMore: typeof hasMore === 'boolean' ? hasMore : undefined,
  };
}

function validLimit(sent: string | null, greatest: number | null): number | null {
  const value = sent === null || !/^\d+$/.test(sent) ? 0 : Number(sent);
  return value >= 1 && value <= (greatest ?? Number.POSITIVE_INFINITY) ? value : null;
}

function orderRank(order: ListOrder, created: number): number {
  return order === 'asc' ? created : -created;
}

/** Key that all pages of one list in one order share. */
function listSeries({ caller, owners, order, filters, call }: AnsweredPage): string {
  return JSON.stringify([caller, owners, order ?? call.query.get('order'), filters]);
}

function orderOf(asked: string | null): ListOrder | null {
  if (asked === null) return 'desc';
  return asked === 'asc' || asked === 'desc' ? asked : null;
}

function elementOf(value: Json, index: number): readonly ListElement[] {
  const id = textAt(value, 'id');
  return id === undefined ? [] : [{ id, index, created: numberAt(value, 'created_at'), value }];
}

/** Whether a list is complete in one page, possibly filtered. */
export function isOnePage({ responseJson: answer, query }: Call): boolean {
  return valueAtPath(answer, 'has_more') === false && !query.has('after') && !query.has('before');
}

export function isWholeList(call: Call): boolean {
  return isOnePage(call) && (call.operation.list?.filters ?? []).every((name) => !call.query.has(name));
}

export const asWholeList = that<{ readonly after: Call }>('that is the whole list', ({ after }) =>
  isWholeList(after),
);

export interface PageWalk {
  /** Cursor of the first page; null for the beginning of the list. */
  readonly start: string | null;
  readonly pages: readonly AnsweredPage[];
}

const PAGES = 20;
const WALKS = 32;

class PageWalks {
  readonly #byEnd = new LruMap<PageWalk>(WALKS);

  /** The walk from the first page to this one; null for a page before a cursor. */
  step(page: AnsweredPage): PageWalk | null {
    const { after, before } = page;
    if (before !== null) return null;
    const known = after === null ? undefined : this.#byEnd.get(endOf(page, after));
    const last = known?.pages.at(-1);
    const isContinued =
      known !== undefined &&
      last !== undefined &&
      known.pages.length < PAGES &&
      precedes(last.call.exchange, page.call.exchange);
    const walk = isContinued
      ? { start: known.start, pages: [...known.pages, page] }
      : { start: after, pages: [page] };
    const end = page.elements.at(-1);
    if (end !== undefined) this.#byEnd.set(endOf(page, end.id), walk);
    return walk;
  }
}

function isAtEnd({ pages }: PageWalk): boolean {
  const last = pages.at(-1);
  return last !== undefined && (last.hasMore === false || last.elements.length === 0);
}

function walkIds({ pages }: PageWalk): readonly string[] {
  return pages.flatMap(({ elements }) => elements.map(({ id }) => id));
}

function endOf(page: AnsweredPage, id: string): string {
  return JSON.stringify([listSeries(page), id]);
}

export interface KnownElement extends TraceSpan {
  readonly id: string;
  /** Unix seconds; undefined if no response stated it. */
  readonly created: number | undefined;
  readonly exchange: string;
  /** True if that exchange created it. */
  readonly made: boolean;
  readonly owners: readonly string[];
  /** Values of the properties that `LASTING_FILTERS` filter by. */
  readonly facets: Readonly<Record<string, string>>;
}

interface ElementSighting extends Pick<KnownElement, 'owners' | 'id' | 'made'> {
  readonly caller: string;
  readonly value: Call['responseJson'];
}

const LISTS = 2000;
const ELEMENTS = 1000;
const CALLERS = 16;

/**
 * The elements of a list as far as the trace shows them: objects that it created and, in lists below an owner, objects that it
 * saw.
 */
class KnownElements {
  readonly #row: ListRow;
  readonly #lists = new LruMap<LruMap<Map<string, KnownElement>>>(LISTS);
  readonly #removals = new Timeline();
  /** By each object in the path of a call that removes or adds an element. */
  readonly #nearby = new Timeline();

  constructor(row: ListRow) {
    this.#row = row;
  }

  recordCreation(call: Call): void {
    const id = textAt(call.responseJson, 'id');
    if (id !== undefined)
      this.#learn(call, {
        caller: callerOf(call.exchange.request),
        owners: ownersOf(this.#row, call),
        id,
        value: call.responseJson,
        made: true,
      });
  }

  /** Skips lists of the organization, which other clients may change. */
  saw({ call, caller, owners, elements }: AnsweredPage): void {
    if (this.#row.traits.scope === 'organization') return;
    for (const { id, value } of elements) this.#learn(call, { caller, owners, id, value, made: false });
  }

  disturbed(call: Call): void {
    if (!mayHaveSucceeded(call)) return;
    const ids = Object.values(call.path);
    for (const id of ids) this.#nearby.note(id, call.exchange);
    const target = ids.at(-1);
    if (target === undefined) return;
    this.#removals.note(target, call.exchange);
    this.#lists.get(keyOf(ownersOf(this.#row, call)))?.delete(target);
  }

  outside({ exchange, target, owners }: OutsideCall): void {
    for (const id of [target, ...owners]) this.#nearby.note(id, exchange);
    this.#removals.note(target, exchange);
    this.#lists.get(keyOf(owners))?.delete(target);
  }

  /** Elements that were in the list from before the first page until after the last one, as far as is known. */
  stable(first: AnsweredPage, last: AnsweredPage): readonly KnownElement[] {
    const list = this.#lists.get(keyOf(first.owners));
    if (list === undefined) return [];
    const filters = Object.entries(first.filters);
    const found: KnownElement[] = [];
    for (const byCaller of list.values()) {
      const known = byCaller.get(first.caller);
      if (known === undefined) continue;
      const fits = filters.every(([name, value]) => known.facets[name] === value);
      if (fits && precedes(known, first.call.exchange) && !this.isGone(known, last.call.exchange))
        found.push(known);
    }
    return found;
  }

  known({ caller, owners }: Pick<AnsweredPage, 'caller' | 'owners'>, id: string | null): KnownElement | null {
    return id === null ? null : (this.#lists.get(keyOf(owners))?.get(id)?.get(caller) ?? null);
  }

  isGone(known: KnownElement, until: TraceSpan): boolean {
    return this.#removals.isChanged([known.id, ...known.owners], known, until);
  }

  isDisturbed(owners: readonly string[], since: TraceSpan, until: TraceSpan): boolean {
    return this.#nearby.isChanged(owners, since, until);
  }

  #learn({ exchange }: Call, { caller, owners, id, value, made }: ElementSighting): void {
    const list = this.#lists.at(keyOf(owners), () => new LruMap(ELEMENTS));
    const byCaller = list.at(id, () => new Map());
    const before = byCaller.get(caller);
    // An object created again under an old id, such as a file attached again, counts from then on.
    if (before !== undefined && !made && !this.isGone(before, exchange)) return;
    const facets = LASTING_FILTERS.flatMap((name) => {
      // A run produces no message of a user, though such a message may carry the id of the run whose request created it.
      const isGiven = name === 'run_id' && textAt(value, 'role') === 'user';
      const facet = isGiven ? undefined : textAt(value, name);
      return facet === undefined ? [] : [[name, facet] as const];
    });
    if (before === undefined && byCaller.size >= CALLERS) return;
    byCaller.set(caller, {
      id,
      created: numberAt(value, 'created_at'),
      exchange: exchange.id,
      after: exchange.after,
      ended: exchange.ended,
      made,
      owners,
      facets: Object.fromEntries(facets),
    });
  }
}

function ownersOf(row: ListRow, call: Call): readonly string[] {
  return row.parents.map((name) => call.path[name] ?? '');
}

function keyOf(owners: readonly string[]): string {
  return JSON.stringify(owners);
}

export interface PageView {
  readonly page: AnsweredPage;
  readonly walk: PageWalk | null;
  /**
   * Elements that are judged: all in a list below an owner; in a list of the organization, those that the trace
   * created.
   */
  readonly judged: readonly ListElement[];
  /** Elements that were in the list from before the page until after it. */
  readonly stable: readonly KnownElement[];
  /** Elements that were in the list from before the walk until after it. */
  readonly stableInWalk: readonly KnownElement[];
  /** The objects of the cursors, if they are known to be in the list. */
  readonly afterElement: KnownElement | null;
  readonly beforeElement: KnownElement | null;
  /** The objects of all cursors of the walk; null if one is not known to be in the list. */
  readonly cursors: readonly KnownElement[] | null;
  /** By id, elements of the walk that stayed in the list since they were shown first. */
  readonly lasting: ReadonlyMap<string, KnownElement>;
}

function pageView(page: AnsweredPage, walk: PageWalk | null, roster: KnownElements): PageView {
  const { row, elements } = page;
  // Other callers may have created the others.
  const isOfOthers = row.traits.scope === 'organization' && isOfUnknownCaller(page.call.exchange);
  const shownInWalk = new Set((walk?.pages ?? [page]).flatMap((one) => one.elements.map(({ id }) => id)));
  const seen = (all: readonly KnownElement[]) =>
    isOfOthers ? all.filter(({ id }) => shownInWalk.has(id)) : all;
  const stable = seen(roster.stable(page, page));
  const stableFrom = (first: AnsweredPage | undefined): readonly KnownElement[] => {
    if (first === undefined) return [];
    return first === page ? stable : seen(roster.stable(first, page));
  };
  const own = new Set(stable.map(({ id }) => id));
  const stillListed = (id: string | null): KnownElement | null => {
    const known = roster.known(page, id);
    return known === null || roster.isGone(known, page.call.exchange) ? null : known;
  };
  const [first] = walk?.pages ?? [];
  const cursor = (id: string | null, request: AnsweredPage): KnownElement | null => {
    const known = stillListed(id);
    return known !== null && precedes(known, request.call.exchange) ? known : null;
  };
  const named = (walk?.pages ?? []).flatMap((each, i, all) => {
    if (each.after === null) return [];
    const previous = all[i - 1];
    const known = previous === undefined ? cursor(each.after, each) : stillListed(each.after);
    // An object created again since it was shown has another position.
    return [
      known !== null && (previous === undefined || known.ended <= previous.call.exchange.ended)
        ? known
        : null,
    ];
  });
  const known = named.filter((one) => one !== null);
  return {
    page,
    walk,
    judged: row.traits.scope === 'parent' ? elements : elements.filter(({ id }) => own.has(id)),
    stable,
    stableInWalk: stableFrom(first),
    afterElement: cursor(page.after, page),
    beforeElement: cursor(page.before, page),
    cursors: known.length === named.length ? known : null,
    lasting: lastingIn(walk, stillListed),
  };
}

function lastingIn(
  walk: PageWalk | null,
  there: (id: string) => KnownElement | null,
): ReadonlyMap<string, KnownElement> {
  const found = new Map<string, KnownElement>();
  const seen = new Set<string>();
  for (const { elements, call, row } of walk?.pages ?? []) {
    for (const { id } of elements) {
      const known = seen.has(id) ? null : there(id);
      seen.add(id);
      // Otherwise it was created again under the same id.
      const isOld = known !== null && known.ended <= call.exchange.ended;
      const isOwn = known !== null && (row.traits.scope === 'parent' || precedes(known, call.exchange));
      if (isOld && isOwn) found.set(id, known);
    }
  }
  return found;
}

/** Whether a walk shows a whole list or, in a list of the organization, a contiguous part of it. */
function endsCompleteWalk({ walk, page, cursors }: Pick<PageView, 'walk' | 'page' | 'cursors'>): boolean {
  if (walk === null || cursors === null || !page.isLasting) return false;
  if (walk.pages.every(({ elements }) => elements.length === 0)) return false;
  return isAtEnd(walk) || (page.row.traits.scope === 'organization' && walk.pages.length > 1);
}

function orderPlace({ order }: AnsweredPage, { created }: Pick<KnownElement, 'created'>): number | undefined {
  return order === null || created === undefined ? undefined : orderRank(order, created);
}

/** A violation that a deletion may still explain. */
export interface PageFault {
  readonly of: 'after' | 'before' | 'closure' | 'has-more';
  readonly complaint: Violation;
  /** Elements that must have been in the list all the time. */
  readonly rests: readonly KnownElement[];
  /** No element may have been removed since then; null if that does not matter. */
  readonly since: TraceSpan | null;
}

/** Rank of the end of a list; its beginning has `-END`. */
const END = Number.POSITIVE_INFINITY;

interface ListInterval {
  /** The cursor that bounds it, which must have been in the list as well. */
  readonly cursor: KnownElement | null;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Which elements must follow is judged only for lasting filters. */
function pageFaults(view: PageView): readonly PageFault[] {
  const sides = [...faultsAfterCursor(view), ...faultsBeforeCursor(view)];
  return [...sides, ...(view.page.isLasting ? closureFaults(view) : []), ...hasMoreFaults(view)];
}

function faultsAfterCursor(view: PageView): PageFault[] {
  const { page, afterElement: after } = view;
  if (after === null || page.before !== null) return [];
  const last = page.elements.at(-1);
  const to = page.hasMore === false || last === undefined ? END : orderPlace(page, last);
  return [
    ...misplacedElements(view, 'after', after),
    ...missingElements(view, 'after', { cursor: after, from: orderPlace(page, after), to }),
  ];
}

function faultsBeforeCursor(view: PageView): PageFault[] {
  const { page, beforeElement: before } = view;
  if (before === null || page.after !== null) return [];
  const [first] = page.elements;
  const last = page.elements.at(-1);
  const from = first === undefined ? -END : orderPlace(page, first);
  const to = orderPlace(page, last ?? before);
  return [
    ...misplacedElements(view, 'before', before),
    ...missingElements(view, 'before', { cursor: before, from, to }),
  ];
}

function misplacedElements(
  { page, judged }: PageView,
  of: 'after' | 'before',
  cursor: KnownElement,
): PageFault[] {
  const wrong = (element: ListElement): Violation | null => {
    const at = `/data/${element.index}`;
    if (element.id === cursor.id) return violation(`${at}/id`, 'not the cursor itself', element.id);
    const { order } = page;
    const [from, { created }] = [cursor.created, element];
    // A cursor that a filter no longer lets through may be treated as an unknown one.
    if (order === null || !page.isLasting || from === undefined || created === undefined) return null;
    // Objects with the same timestamp may appear in any order.
    const distance = orderRank(order, created) - orderRank(order, from);
    if (of === 'after' ? distance >= 0 : distance <= 0) return null;
    const side = of === 'after' ? 'behind' : 'in front of';
    const expected = `what lies ${side} the cursor, created at ${from}`;
    return violation(`${at}/created_at`, expected, created);
  };
  const own = page.elements.filter(({ id }) => id === cursor.id);
  return [...new Set([...own, ...judged])].flatMap((element) => {
    const violation = wrong(element);
    return violation === null ? [] : [{ of, complaint: violation, rests: [cursor], since: null }];
  });
}

function missingElements(
  { page, stable }: PageView,
  of: PageFault['of'],
  { cursor, from, to }: ListInterval,
): PageFault[] {
  if (from === undefined || to === undefined) return [];
  const shown = new Set(page.elements.map(({ id }) => id));
  return stable
    .filter((known) => {
      const place = orderPlace(page, known);
      return place !== undefined && place > from && place < to && !shown.has(known.id);
    })
    .map((known) => missingElement(of, known, cursor === null ? [] : [cursor]));
}

function missingElement(
  of: PageFault['of'],
  known: KnownElement,
  others: readonly KnownElement[],
): PageFault {
  const expected = `${known.id}, known since ${known.exchange}`;
  return { of, complaint: violation('/data', expected, undefined), rests: [known, ...others], since: null };
}

function closureFaults(view: PageView): PageFault[] {
  const { walk, cursors, lasting } = view;
  if (walk === null || cursors === null || !endsCompleteWalk(view)) return [];
  const ids = walkIds(walk);
  const shown = new Set(ids);
  const twice = [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))].flatMap((id): PageFault[] => {
    const known = lasting.get(id);
    if (known === undefined) return [];
    const complaint = violation('/data', 'each object once', id);
    return [{ of: 'closure', complaint, rests: [known, ...cursors], since: null }];
  });
  const lost = expected(view).filter(({ id }) => !shown.has(id));
  return [...twice, ...lost.map((known) => missingElement('closure', known, cursors))];
}

function expected({ walk, page, stableInWalk, cursors }: PageView): readonly KnownElement[] {
  if (walk === null) return [];
  const isWhole = isAtEnd(walk);
  if (walk.start === null && isWhole) return stableInWalk;
  const start = cursors?.find(({ id }) => id === walk.start);
  const last = page.elements.at(-1);
  const from = walk.start === null ? -END : start && orderPlace(page, start);
  const to = isWhole ? END : last && orderPlace(page, last);
  if (from === undefined || to === undefined) return [];
  return stableInWalk.filter((known) => {
    const place = orderPlace(page, known);
    return place !== undefined && place > from && place < to;
  });
}

function hasMoreFaults(view: PageView): PageFault[] {
  const { page, walk, stable, cursors } = view;
  if (page.before !== null) return [];
  const last = page.elements.at(-1);
  const from = last === undefined || page.hasMore !== false ? undefined : orderPlace(page, last);
  const ends = missingElements(view, 'has-more', { cursor: null, from, to: END }).map(
    (fault): PageFault => ({
      ...fault,
      complaint: violation('/has_more', `true, ${fault.rests[0]?.id} follows`, false),
    }),
  );
  if (promisesMoreAfterEnd(view)) {
    const complaint = violation('/has_more', 'false, the page is empty', true);
    return [...ends, { of: 'has-more', complaint, rests: [], since: null }];
  }
  const promise = page.isLasting ? walk?.pages.at(-2) : undefined;
  if (promise === undefined || cursors === null) return ends;
  const { exchange } = promise.call;
  if (promise.hasMore === true) {
    if (mayBeTakenAway(page.row) || page.elements.length > 0) return ends;
    const expected = `an element, ${exchange.id} says that another page follows`;
    return [
      ...ends,
      { of: 'has-more', complaint: violation('/data', expected, []), rests: cursors, since: exchange },
    ];
  }
  const known = new Map(stable.filter((one) => precedes(one, exchange)).map((one) => [one.id, one]));
  const late = page.elements.flatMap(({ id, index }): PageFault[] => {
    const one = known.get(id);
    if (one === undefined || promise.hasMore !== false) return [];
    const expected = `nothing, ${exchange.id} says that it is the last page`;
    return [
      { of: 'has-more', complaint: violation(`/data/${index}`, expected, id), rests: [one], since: null },
    ];
  });
  return [...ends, ...late];
}

/** Whether an empty page claims that another one follows, although it has no element to continue from. */
function promisesMoreAfterEnd(view: PageView): boolean {
  return view.page.hasMore === true && isEmptyEnd(view);
}

/**
 * Whether a page is empty although its `limit` permits elements. The effect of an unknown cursor is left open, so its element must
 * have been listed.
 */
function isEmptyEnd({ page, walk, afterElement }: PageView): boolean {
  const { call, limit, before } = page;
  if (before !== null || arrayAt(call.responseJson, 'data').length > 0) return false;
  const isKnown = page.after === null || afterElement !== null || (walk?.pages.length ?? 0) > 1;
  return isKnown && (limit === null || /^[1-9]\d*$/.test(limit));
}

/** Other clients may have deleted what `has_more` promised, unless no operation deletes elements. */
export function mayBeTakenAway({ traits, disturb }: ListRow): boolean {
  return traits.scope === 'organization' && disturb.length > 0;
}

export interface ListedPage extends Evidence, PageView {
  readonly call: Call;
  /** The distinct creation times of the judged elements. */
  readonly times: readonly (number | undefined)[];
  /** Null unless the whole list is known in both orders and has two creation times. */
  readonly reversal: Reversal | null;
  readonly endsWalk: boolean;
  /** Whether the trace shows if anything follows the page. */
  readonly isConclusive: boolean;
  readonly faults: readonly PageFault[];
  readonly known: readonly KnownElement[];
  /** The page of the same request with the default `limit` stated or left out. */
  readonly twin: AnsweredPage | null;
  /** The latest page that showed the whole list in this order. */
  readonly whole: AnsweredPage | null;
}

const KEPT = 16;

/** One selector per list, so that all its requirements share the evidence. */
const selectors = new Map<string, Selector<ListedPage>>();

/** Every page of a list. A page with faults waits for the end of the trace, since a later call may explain them. */
export function listedPages(row: ListRow): Selector<ListedPage> {
  const { operation, variant, create, disturb } = row;
  return getOrMake(selectors, row.subject, () => ({
    operations: [operation.id, ...(create === null ? [] : [create]), ...disturb],
    variant: row.isOneOfTwo && variant.name !== 'only' ? variant.name : null,
    everyVariant: disturb,
    needs: `a page of ${operation.id}`,
    collect: () => new PageCollector(row),
  }));
}

/** Relates the pages of one list to the calls around them in bounded memory; dropped state only loses evidence. */
class PageCollector implements Collector<ListedPage> {
  readonly #row: ListRow;
  readonly #roster: KnownElements;
  readonly #walks = new PageWalks();
  readonly #latest = new LruMap<AnsweredPage>(KEPT);
  readonly #whole = new LruMap<AnsweredPage>(KEPT);
  readonly #deferred = new Deferred<ListedPage>();

  constructor(row: ListRow) {
    this.#row = row;
    this.#roster = new KnownElements(row);
  }

  call(call: Call): readonly ListedPage[] {
    const { id } = call.operation;
    if (id === this.#row.create) this.#roster.recordCreation(call);
    if (this.#row.disturb.includes(id)) this.#roster.disturbed(call);
    const page = id === this.#row.operation.id ? pageOf(this.#row, call) : null;
    return page === null ? [] : this.#page(page);
  }

  outside(call: OutsideCall): void {
    this.#roster.outside(call);
  }

  finish(): readonly ListedPage[] {
    return this.#deferred.finish();
  }

  #page(page: AnsweredPage): readonly ListedPage[] {
    const walk = this.#walks.step(page);
    // A page does not prove its own elements.
    const listed = this.#listed(page, walk);
    this.#roster.saw(page);
    this.#latest.set(requestKey(page, page.limit), page);
    if (isCompleteList(page)) this.#whole.set(wholeKey(page, page.order), page);
    if (listed.faults.length === 0) return [listed];
    this.#deferred.add(() => this.#unexplained(listed));
    return [];
  }

  #listed(page: AnsweredPage, walk: PageWalk | null): ListedPage {
    const view = pageView(page, walk, this.#roster);
    const opposite = this.#earlier(page, wholeKey(page, page.order === 'asc' ? 'desc' : 'asc'));
    return judgeable({
      ...view,
      call: page.call,
      exchanges: (walk?.pages ?? [page]).map(({ call }) => call.exchange),
      faults: pageFaults(view).filter((fault) => !this.#isExplained(fault, page)),
      known: page.elements.flatMap(({ id }) => this.#roster.known(page, id) ?? []),
      times: [...new Set(view.judged.map(({ created }) => created))],
      twin: this.#twin(page),
      whole: this.#earlier(page, wholeKey(page, page.order)),
      reversal: opposite === null ? null : reversalOf(page, opposite),
    });
  }

  /** Drops the faults and cursors that a deletion explains. */
  #unexplained(listed: ListedPage): ListedPage {
    const { page, afterElement, beforeElement, cursors, faults } = listed;
    const isThere = (known: KnownElement): boolean => !this.#roster.isGone(known, page.call.exchange);
    return judgeable({
      ...listed,
      afterElement: afterElement !== null && isThere(afterElement) ? afterElement : null,
      beforeElement: beforeElement !== null && isThere(beforeElement) ? beforeElement : null,
      cursors: cursors?.every(isThere) ? cursors : null,
      faults: faults.filter((fault) => !this.#isExplained(fault, page)),
    });
  }

  #isExplained({ rests, since }: PageFault, { call: { exchange }, owners }: AnsweredPage): boolean {
    if (rests.some((known) => this.#roster.isGone(known, exchange))) return true;
    return since !== null && this.#roster.isDisturbed(owners, since, exchange);
  }

  /** The latest page of the same request with the default `limit` left out, or stated. */
  #twin(page: AnsweredPage): AnsweredPage | null {
    const limit = String(this.#row.traits.defaultLimit);
    if (!page.isLasting || (page.limit !== null && page.limit !== limit)) return null;
    const other = this.#latest.get(requestKey(page, page.limit === null ? limit : null));
    return other !== undefined && precedes(other.call.exchange, page.call.exchange) ? other : null;
  }

  #earlier(page: AnsweredPage, key: string): AnsweredPage | null {
    const whole = page.isLasting ? this.#whole.get(key) : undefined;
    return whole !== undefined && precedes(whole.call.exchange, page.call.exchange) ? whole : null;
  }
}

/** Adds the facts that the page proves; repeated when a cursor or an element turns out to be removed. */
function judgeable(listed: Omit<ListedPage, 'endsWalk' | 'isConclusive'>): ListedPage {
  const { page, walk, stable } = listed;
  const isFollowed = (walk?.pages.length ?? 0) > 1 || stable.length > page.elements.length;
  return {
    ...listed,
    endsWalk: endsCompleteWalk(listed),
    isConclusive: isEmptyEnd(listed) || (page.isLasting && isFollowed),
  };
}

interface Reversal {
  readonly here: readonly ListElement[];
  readonly there: readonly ListElement[];
}

/** The elements that both complete lists contain, in order; null if that proves nothing. */
function reversalOf(page: AnsweredPage, { elements: opposite }: AnsweredPage): Reversal | null {
  if (!isCompleteList(page)) return null;
  // An object that was removed and added again has a new timestamp.
  const isIn = (others: readonly ListElement[]) => {
    const times = new Map(others.map(({ id, created }) => [id, created]));
    return ({ id, created }: ListElement): boolean => created !== undefined && times.get(id) === created;
  };
  const common = { here: page.elements.filter(isIn(opposite)), there: opposite.filter(isIn(page.elements)) };
  return new Set(common.here.map(({ created }) => created)).size < 2 ? null : common;
}

function isCompleteList({ after, before, hasMore }: AnsweredPage): boolean {
  return after === null && before === null && hasMore === false;
}

function requestKey(page: AnsweredPage, limit: string | null): string {
  return JSON.stringify([listSeries(page), page.after, page.before, limit]);
}

function wholeKey(page: AnsweredPage, order: string | null): string {
  return JSON.stringify([page.caller, page.owners, page.filters, order]);
}
