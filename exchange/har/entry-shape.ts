// HAR files come from browsers, other proxies and strangers. Every member that the import reads is checked here;
// members that programs often omit or write as null are optional. Source: HAR 1.2,
// http://www.softwareishard.com/blog/har-12-spec/.

import { isObject } from '../../schemas/json.ts';
import {
  type Check,
  ENDINGS,
  every,
  fields,
  isAny,
  isCount,
  isDigestedPart,
  isHeader,
  isProbe,
  isText,
  isTime,
  isTruth,
  noteOf,
  orNone,
  orNull,
  pair,
} from '../cassette/line-shape.ts';

const isLoose = (check: Check): Check => orNone(orNull(check));
const isPairs = every(pair(isText, isText));
const isHeaders = isLoose(every(fields({ name: isText, value: isLoose(isText) })));
const isParameters = every(
  fields({ name: isText, value: isLoose(isText), fileName: isLoose(isText), contentType: isLoose(isText) }),
);

const isExtension = fields({
  after: isCount,
  ended: isCount,
  scenario: orNull(isText),
  probe: orNull(isProbe),
  target: isText,
  answered: isTruth,
  end: fields({ how: (how) => ENDINGS.has(how), detail: orNull(isText), at: isTime }),
  pieces: every(pair(isCount, isTime)),
  trailers: isPairs,
  digest: orNone(
    fields({
      sha256: isText,
      size: isCount,
      parts: orNull(
        every(
          (part) =>
            isDigestedPart(part) &&
            fields({ type: orNull(isText), headers: isPairs, text: orNone(isText) })(part),
        ),
      ),
    }),
  ),
});

const MEMBERS: Readonly<Record<string, Check>> = {
  // Without a valid start, entries keep the order of the file.
  startedDateTime: isLoose(isText),
  time: isLoose(isTime),
  request: isObject,
  'request.method': isText,
  'request.url': isText,
  'request.headers': isHeaders,
  // -1: unknown.
  'request.bodySize': isLoose(isTime),
  'request.postData': isLoose(
    fields({
      mimeType: isLoose(isText),
      text: isLoose(isText),
      params: isLoose(isParameters),
      _encoding: orNone(isText),
    }),
  ),
  response: isObject,
  // 0: no response.
  'response.status': isCount,
  'response.statusText': isLoose(isText),
  'response.headers': isHeaders,
  'response.bodySize': isLoose(isTime),
  'response._error': isLoose(isText),
  'response.content': isLoose(
    fields({
      size: isLoose(isTime),
      text: isLoose(isText),
      encoding: isLoose(isText),
      _coded: orNone(isText),
    }),
  ),
  // -1: the phase does not apply.
  timings: isLoose(
    fields({
      blocked: isLoose(isTime),
      dns: isLoose(isTime),
      connect: isLoose(isTime),
      send: isLoose(isTime),
      wait: isLoose(isTime),
    }),
  ),
  // Only in files that assay wrote: it restores a cassette byte for byte.
  _assay: orNone(isExtension),
};

/** Path of the first member of the wrong type; `""` if the entry is not an object; null if all are right. */
export function wrongMember(entry: unknown): string | null {
  if (!isObject(entry)) return '';
  for (const [path, check] of Object.entries(MEMBERS)) {
    const value = path
      .split('.')
      .reduce<unknown>((within, name) => (isObject(within) ? within[name] : undefined), entry);
    if (!check(value)) return path;
  }
  return null;
}

export function isLogExtension(value: unknown): boolean {
  return fields({ header: isHeader, notes: every(isPlacedNote), format: isAny })(value);
}

const isPlacedNote: Check = (value) => {
  try {
    noteOf(value);
    return fields({ before: isCount })(value);
  } catch {
    return false;
  }
};
