import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { isNote } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { arrayAt, textAt } from '../../judge/trace/json.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { withBody } from '../mutations/exchanges.ts';
import { withRequestBody } from '../mutations/requests.ts';
import { hasEditableBody } from './json-changes.ts';

const MIN_ID_LENGTH = 8;
const ID_LIKE_WORD = new RegExp(`[A-Za-z0-9_-]{${MIN_ID_LENGTH},}`, 'g');

/** Replaces ids consistently in requests and responses, because the specification leaves their form open. */
export const otherIds: readonly EquivalentMutant[] = [
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
  changesResponse: (exchange: Exchange) => boolean,
): EquivalentMutant {
  return {
    name,
    apply: (items) => {
      const replacements = new Map<string, string>();
      // Learns all ids first, because a request may contain an id before the response that introduces it has ended.
      for (const item of items) if (!isNote(item)) learnIds(item, replacements, replacementOf);
      if (replacements.size === 0) return items;
      return items.map((item) =>
        isNote(item) ? item : renameInExchange(item, replacements, changesResponse(item)),
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
  changesResponse: boolean,
): Exchange {
  const rename = (content: string): string =>
    content.replaceAll(ID_LIKE_WORD, (word) => replacements.get(word) ?? word);
  const { request, response } = exchange;
  const renamed = { ...exchange, request: { ...request, target: rename(request.target) } };
  // Bodies that are not UTF-8, such as uploaded images, contain no ids.
  const { text } = request.body;
  const changed = text === null ? renamed : withRequestBody(renamed, rename(text));
  const content = response === null || !changesResponse ? null : decodedContent(response)?.text;
  return content ? withBody(changed, rename(content)) : changed;
}
