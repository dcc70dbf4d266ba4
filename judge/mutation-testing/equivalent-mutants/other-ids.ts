// The form of ids is left open by the specification, so every id is replaced consistently in requests and
// responses.

import type { Exchange } from '../../../exchange/exchange.ts';
import { Body, type Json } from '../../../exchange/http/body.ts';
import { decodedContent } from '../../../exchange/http/content.ts';
import { eventsOf } from '../../../exchange/http/event-stream.ts';
import { isNote } from '../../../exchange/trace.ts';
import { isJsonObject } from '../../../schemas/json.ts';
import { arrayAt, textAt } from '../../evidence/json.ts';
import { withBody } from '../../mutations/exchanges.ts';
import type { EquivalentMutant } from './equivalent-mutant.ts';
import { isJsonResponse } from './reserialize.ts';

/** Ids of equal length, and longer ids. */
export const otherIds: readonly EquivalentMutant[] = [
  renaming('ids of another form, consistently', other, () => true),
  // The content of files has a stated length, so it is not changed.
  renaming('ids that are longer', (id) => `${other(id)}-0000-4000-8000-${id.length}~.`, isJsonResponse),
];

/** A mutant that replaces every id. `fits`: whether the response is changed, too. */
function renaming(
  name: string,
  made: (id: string) => string,
  fits: (exchange: Exchange) => boolean,
): EquivalentMutant {
  return {
    name,
    apply: (items) => {
      const names = new Map<string, string>();
      // First pass: an id may stand in a request before the response that introduces it ends.
      for (const item of items) if (!isNote(item)) learn(item, names, made);
      return items.map((item) =>
        isNote(item) ? item : renamed(item, names, fits(item) ? 'both' : 'request'),
      );
    },
  };
}

/** Collects the ids in a response, with their replacements. */
function learn({ response }: Exchange, names: Map<string, string>, made: (id: string) => string): void {
  if (response === null || response.status >= 300) return;
  const values = eventsOf(response)?.events.map(({ json }) => json?.value) ?? [
    decodedContent(response)?.json?.value,
  ];
  for (const value of values) for (const id of idsIn(value)) names.set(id, made(id));
}

/** Ids of an object and of the elements of a list. Short ones are left out: they may be ordinary words. */
function idsIn(value: Json | undefined): readonly string[] {
  if (!isJsonObject(value)) return [];
  // The ids of models are names that users give in their requests and configurations.
  const own = textAt(value, 'object') === 'model' ? undefined : textAt(value, 'id');
  return [...(own === undefined || own.length < 8 ? [] : [own]), ...arrayAt(value, 'data').flatMap(idsIn)];
}

/** Letters and digits each move on by one place; length, and what a path may hold, stay. */
function other(id: string): string {
  return id.replaceAll(/[A-Za-z0-9]/g, (sign) => {
    if (sign === 'z') return 'a';
    if (sign === 'Z') return 'A';
    return sign === '9' ? '0' : String.fromCharCode(sign.charCodeAt(0) + 1);
  });
}

/** The exchange with ids replaced in its target and bodies. */
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
    body: sent === null ? request.body : Body.of(rename(sent)),
  };
  const got = response === null ? null : (decodedContent(response)?.text ?? null);
  const changed = { ...exchange, request: asked };
  return got === null || got === '' || sides === 'request' ? changed : withBody(changed, rename(got));
}
