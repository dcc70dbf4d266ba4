import type { Exchange } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { Call } from '../../judge/trace/call.ts';
import { arrayAt, isObject, textAt } from '../../judge/trace/json.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { withBody, withJsonResponse } from '../mutations/exchanges.ts';
import { withRequestHeader } from '../mutations/requests.ts';
import { isJsonResponse } from './json-changes.ts';

/** Replaces every id consistently in requests and responses: the specification leaves their form open. */
export const otherIds: readonly EquivalentMutant[] = [
  renaming('ids of another form, consistently', replacementId, () => true),
  // The content of files has a stated length, so it is not changed.
  renaming(
    'ids that are longer',
    (id) => `${replacementId(id)}-0000-4000-8000-${id.length}~.`,
    isJsonResponse,
  ),
];

function renaming(
  name: string,
  made: (id: string) => string,
  fits: (exchange: Exchange) => boolean,
): EquivalentMutant {
  return {
    name,
    apply: (items) => {
      const names = new Map<string, string>();
      // First pass: a request may contain an id before the response that introduces it has ended.
      for (const item of items) if (!isNote(item)) learn(item, names, made);
      return items.map((item) =>
        isNote(item) ? item : renamed(item, names, fits(item) ? 'both' : 'request'),
      );
    },
  };
}

function learn({ response }: Exchange, names: Map<string, string>, made: (id: string) => string): void {
  if (response === null || response.status >= 300) return;
  const values = eventsOf(response)?.events.map(({ json }) => json?.value) ?? [jsonContent(response)];
  for (const value of values) for (const id of idsIn(value)) names.set(id, made(id));
}

function idsIn(value: Json | undefined): readonly string[] {
  if (!isJsonObject(value)) return [];
  // Model ids are names that users choose in requests and configurations.
  const own = textAt(value, 'object') === 'model' ? undefined : textAt(value, 'id');
  return [...(own === undefined || own.length < 8 ? [] : [own]), ...arrayAt(value, 'data').flatMap(idsIn)];
}

function replacementId(id: string): string {
  return id.replaceAll(/[A-Za-z0-9]/g, (sign) => {
    if (sign === 'z') return 'a';
    if (sign === 'Z') return 'A';
    return sign === '9' ? '0' : String.fromCharCode(sign.charCodeAt(0) + 1);
  });
}

function renamed(
  exchange: Exchange,
  names: ReadonlyMap<string, string>,
  sides: 'both' | 'request',
): Exchange {
  const rename = (content: string): string =>
    content.replaceAll(/[A-Za-z0-9_-]{8,}/g, (word) => names.get(word) ?? word);
  const { request, response } = exchange;
  // Bodies that are not UTF-8, such as uploads, contain no ids.
  const sent = request.body.text;
  const asked = {
    ...request,
    target: rename(request.target),
    body: sent === null ? request.body : Body.from(rename(sent)),
  };
  const got = response === null ? null : (decodedContent(response)?.text ?? null);
  const changed = { ...exchange, request: asked };
  return got === null || got === '' || sides === 'request' ? changed : withBody(changed, rename(got));
}

/**
 * Repeats each read with the key of another caller, for whom objects do not exist and lists are empty (1
 * Authentication).
 */
export function otherCaller(betaHeader: string): EquivalentMutant {
  return {
    name: 'another caller who is shown nothing',
    apply: (items) => items.flatMap((item) => [item, ...shownToOther(item, betaHeader)]),
  };
}

function shownToOther(item: TraceItem, betaHeader: string): readonly Exchange[] {
  if (isNote(item) || item.request.method !== 'GET' || item.probe !== null) return [];
  const call = Call.from(item, betaHeader);
  if (call?.responseJson === undefined) return [];
  const asked = withRequestHeader(item, 'authorization', 'Bearer sk-another-caller');
  // Fractions keep the ordinals of the other exchanges as they are.
  const between = { id: `${item.id}.5`, after: item.ended, ended: item.ended + 0.5, scenario: null };
  const isOfOrganization =
    isObject(call.responseJson) &&
    Array.isArray(call.responseJson['data']) &&
    !call.operation.path.includes('{');
  return [
    isOfOrganization
      ? { ...withJsonResponse(asked, 200, emptyList(call)), ...between }
      : { ...withJsonResponse(asked, 404, { error: { message: 'not found' } }), ...between },
  ];
}

function emptyList({ responseJson: answer }: Call) {
  if (!isObject(answer)) return {};
  const ends = 'first_id' in answer ? { first_id: null, last_id: null } : {};
  return { ...answer, ...ends, ...('has_more' in answer ? { has_more: false } : {}), data: [] };
}

/** States between the first and the last. */
const BETWEEN: ReadonlySet<string | undefined> = new Set([
  'in_progress',
  'validating_files',
  'running',
  'finalizing',
  'cancelling',
]);

/** Drops requests that show an intermediate state, as if the client polled rarely. */
export const skippedStates: EquivalentMutant = {
  name: 'intermediate states not observed',
  // Gaps in the ordinals are harmless: the order stays correct.
  apply: (items) => items.filter((item) => isNote(item) || !isStatusRequest(item)),
  blinds: true,
};

function isStatusRequest({ request, response }: Exchange): boolean {
  if (request.method !== 'GET' || response === null) return false;
  return BETWEEN.has(textAt(jsonContent(response), 'status'));
}
