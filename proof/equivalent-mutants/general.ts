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
import { extraFields, hasEditableBody, jsonChanges, nonAsciiLetters } from './json-changes.ts';
import { streamChanges } from './stream-changes.ts';
import { wireChanges } from './wire-changes.ts';

const MIN_ID_LENGTH = 8;
const ID_LIKE_WORD = /[A-Za-z0-9_-]{8,}/g;

/** States that an object leaves by itself, so that a client that polls rarely may miss them. */
const INTERMEDIATE_STATES: ReadonlySet<string | undefined> = new Set([
  'in_progress',
  'validating_files',
  'running',
  'finalizing',
  'cancelling',
]);

export function generalEquivalentMutants(betaHeader: string): readonly EquivalentMutant[] {
  return [
    ...jsonChanges,
    extraFields(betaHeader),
    nonAsciiLetters,
    ...otherIds,
    otherCaller(betaHeader),
    skippedStates,
    ...streamChanges,
    ...wireChanges,
  ];
}

/** Replaces ids consistently in requests and responses, because the specification leaves their form open. */
const otherIds: readonly EquivalentMutant[] = [
  renameIds('ids of another form, consistently', replacementId, () => true),
  // The content of files has a stated length, so it is not changed.
  renameIds(
    'ids that are longer',
    (id) => `${replacementId(id)}-0000-4000-8000-${id.length}~.`,
    hasEditableBody,
  ),
];

function renameIds(
  name: string,
  replacementOf: (id: string) => string,
  isChanged: (exchange: Exchange) => boolean,
): EquivalentMutant {
  return {
    name,
    apply: (items) => {
      const replacements = new Map<string, string>();
      // Learns all ids first, because a request may contain an id before the response that introduces it has ended.
      for (const item of items) if (!isNote(item)) learnIds(item, replacements, replacementOf);
      return items.map((item) =>
        isNote(item) ? item : renameInExchange(item, replacements, isChanged(item) ? 'both' : 'request'),
      );
    },
  };
}

function learnIds(
  { response }: Exchange,
  replacements: Map<string, string>,
  replacementOf: (id: string) => string,
): void {
  if (response === null || response.status >= 300) return;
  const values = eventsOf(response)?.events.map(({ json }) => json?.value) ?? [jsonContent(response)];
  for (const value of values) for (const id of idsIn(value)) replacements.set(id, replacementOf(id));
}

function idsIn(value: Json | undefined): readonly string[] {
  if (!isJsonObject(value)) return [];
  // Model ids are names that users choose in requests and configurations.
  const id = textAt(value, 'object') === 'model' ? undefined : textAt(value, 'id');
  // Shorter ids could be equal to ordinary words.
  return [
    ...(id === undefined || id.length < MIN_ID_LENGTH ? [] : [id]),
    ...arrayAt(value, 'data').flatMap(idsIn),
  ];
}

function replacementId(id: string): string {
  return id.replaceAll(/[A-Za-z0-9]/g, (character) => {
    if (character === 'z') return 'a';
    if (character === 'Z') return 'A';
    return character === '9' ? '0' : String.fromCharCode(character.charCodeAt(0) + 1);
  });
}

function renameInExchange(
  exchange: Exchange,
  replacements: ReadonlyMap<string, string>,
  sides: 'both' | 'request',
): Exchange {
  const rename = (content: string): string =>
    content.replaceAll(ID_LIKE_WORD, (word) => replacements.get(word) ?? word);
  const { request, response } = exchange;
  // Bodies that are not UTF-8, such as uploaded images, are sent without ids.
  const { text } = request.body;
  const renamedRequest = {
    ...request,
    target: rename(request.target),
    body: text === null ? request.body : Body.from(rename(text)),
  };
  const content = response === null ? null : (decodedContent(response)?.text ?? null);
  const changed = { ...exchange, request: renamedRequest };
  return content === null || content === '' || sides === 'request'
    ? changed
    : withBody(changed, rename(content));
}

/** Repeats each read with the key of another caller, for whom no objects exist (1 Authentication). */
function otherCaller(betaHeader: string): EquivalentMutant {
  return {
    name: 'another caller who is shown nothing',
    apply: (items) => items.flatMap((item) => [item, ...readsOfOtherCaller(item, betaHeader)]),
  };
}

function readsOfOtherCaller(item: TraceItem, betaHeader: string): readonly Exchange[] {
  if (isNote(item) || item.request.method !== 'GET' || item.probe !== null) return [];
  const call = Call.from(item, betaHeader);
  if (call?.responseJson === undefined) return [];
  const read = withRequestHeader(item, 'authorization', 'Bearer sk-another-caller');
  // Fractions keep the ordinals of the other exchanges as they are.
  const between = { id: `${item.id}.5`, after: item.ended, ended: item.ended + 0.5, scenario: null };
  const listsAllObjects =
    isObject(call.responseJson) &&
    Array.isArray(call.responseJson['data']) &&
    !call.operation.path.includes('{');
  const answer = listsAllObjects
    ? withJsonResponse(read, 200, emptyList(call))
    : withJsonResponse(read, 404, { error: { message: 'not found' } });
  return [{ ...answer, ...between }];
}

function emptyList({ responseJson: answer }: Call) {
  if (!isObject(answer)) return {};
  const cursors = 'first_id' in answer ? { first_id: null, last_id: null } : {};
  const end = 'has_more' in answer ? { has_more: false } : {};
  return { ...answer, ...cursors, ...end, data: [] };
}

const skippedStates: EquivalentMutant = {
  name: 'intermediate states not observed',
  // Gaps in the ordinals are harmless: the order stays correct.
  apply: (items) =>
    items.filter(
      (item) =>
        isNote(item) ||
        item.request.method !== 'GET' ||
        !INTERMEDIATE_STATES.has(textAt(jsonContent(item.response), 'status')),
    ),
  blinds: true,
};
