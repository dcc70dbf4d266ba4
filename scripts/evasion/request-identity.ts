// Which requests of a run say the same: identifiers and names that each run chooses anew are replaced by their kind.
import type { HttpRequest } from '../../exchange/exchange.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';

/** Identifiers that the reference gives: `run_` with its random part, in paths and in bodies. */
const ID =
  /\b(?:asst|batch|call|chatcmpl|cmpl|file|ftckpt|ftevent|ftjob|msg|run|step|thread|vs|vsfb)[_-][A-Za-z0-9]{16,}/g;
/** Names of models that the reference has trained: `ft:chat-small:reference::3bx6jGeQ`, in paths with `%3A`. */
const TRAINED = /ft(?::|%3A)[^"&/?\s]*/g;
/** What a scenario writes into all that it creates. */
const TAG = /assay-[0-9a-f]{6,}(?:-\d+)?/g;
/** Identifiers that a scenario makes up so that no object has them. */
const UNKNOWN = /[0-9a-f]{24}/g;

/**
 * A text that is equal for requests that say the same, in any run on the reference: method, target, variant, body; names of
 * the parts of a form, and of other bodies the digest where they are not text.
 */
export function requestIdentity(request: HttpRequest, betaHeader: string): string {
  const { method, target, headers, body } = request;
  const beta = firstHeader(headers, betaHeader) ?? '';
  return (
    [method, anonymous(target), beta, contentOf(request)].join(' ').slice(0, LONGEST) + lengthOf(body.size)
  );
}

/** Longer identities are cut: texts at limits differ from others by their size. */
const LONGEST = 4096;

/** The size of a body whose identity is cut, in bytes. */
function lengthOf(size: number): string {
  return size > LONGEST ? ` ${size}` : '';
}

/** The body; of a form its parts by name, because its boundary is random. */
function contentOf(request: HttpRequest): string {
  const parts = formDataParts(request);
  if (parts === null) return anonymous(request.body.text ?? request.body.sha256);
  return parts
    .map(
      ({ name, filename, body }) =>
        `${name}=${anonymous(filename ?? '')}:${anonymous(body.text ?? body.sha256)}`,
    )
    .join('&');
}

/** A text with the kinds of identifiers in place of them. */
function anonymous(text: string): string {
  return text
    .replace(TRAINED, 'ft:…')
    .replace(TAG, 'TAG')
    .replace(ID, (id) => `${id.slice(0, id.search(/[_-]/))}_ID`)
    .replace(UNKNOWN, 'UNKNOWN');
}

/** Identifiers in a text, each once. */
export function identifiersIn(text: string): readonly string[] {
  return [
    ...new Set([...text.matchAll(ID), ...text.matchAll(TRAINED)].map(([id]) => id.replaceAll('%3A', ':'))),
  ];
}
