import type { HttpRequest } from '../../exchange/exchange.ts';
import type { Body } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';

/** Identifiers of the reference that requests can name: `run_` with its random part, in paths and in bodies. */
const GENERATED_ID =
  /\b(?:asst|batch|call|chatcmpl|cmpl|file|ftckpt|ftevent|ftjob|msg|run|step|thread|vs|vsfb)[_-][A-Za-z0-9]{16,}/g;
/** Names of models that the reference has trained: `ft:chat-small:reference::3bx6jGeQ`, in paths with `%3A`. */
const TRAINED_MODEL = /\bft(?::|%3A)[^"&/?\s]*/g;
/** The tag by which a scenario marks what it creates. */
const SCENARIO_TAG = /assay-[0-9a-f]{6,}(?:-\d+)?/g;
/** Random identifiers that a scenario uses as ids of no object. */
const RANDOM_ID = /[0-9a-f]{24}/g;
/** Identities are truncated to this many characters; if the body has more bytes, its size is appended. */
const MAX_IDENTITY_LENGTH = 4096;

/**
 * A text that is equal for equivalent requests of any runs against the reference: method, target, variant and body,
 * with placeholders for identifiers that differ in each run. A body that is not text is represented by its digest.
 */
export function requestIdentity(request: HttpRequest, betaHeader: string): string {
  const { method, target, headers, body } = request;
  const beta = firstHeader(headers, betaHeader) ?? '';
  return (
    [method, anonymise(target), beta, contentOf(request)].join(' ').slice(0, MAX_IDENTITY_LENGTH) +
    (body.size > MAX_IDENTITY_LENGTH ? ` ${body.size}` : '')
  );
}

/** The body; a form is represented by its parts, because its boundary is random. */
function contentOf(request: HttpRequest): string {
  const parts = formDataParts(request);
  if (parts === null) return anonymousContent(request.body);
  return parts
    .map(({ name, filename, body }) => `${name}=${anonymise(filename ?? '')}:${anonymousContent(body)}`)
    .join('&');
}

function anonymousContent({ text, sha256 }: Body): string {
  return text === null ? sha256 : anonymise(text);
}

function anonymise(text: string): string {
  return text
    .replace(TRAINED_MODEL, 'ft:…')
    .replace(SCENARIO_TAG, 'TAG')
    .replace(GENERATED_ID, (id) => `${id.slice(0, id.search(/[_-]/))}_ID`)
    .replace(RANDOM_ID, 'UNKNOWN');
}

export function identifiersIn(text: string): readonly string[] {
  return [
    ...new Set(
      [...text.matchAll(GENERATED_ID), ...text.matchAll(TRAINED_MODEL)].map(([id]) =>
        id.replaceAll('%3A', ':'),
      ),
    ),
  ];
}
