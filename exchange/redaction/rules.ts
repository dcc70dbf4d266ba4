import { tryParseJson } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { parseUserPointer } from '../../schemas/pointer.ts';
import { bufferOn } from '../http/bytes.ts';
import { beginsLikeStream } from '../http/event-stream.ts';
import { readEvents } from '../http/sse-reader.ts';
import type { AliasFactory } from './alias.ts';
import { eventData, structuredData } from './event-stream-filter.ts';
import { jsonPathName } from './json-path-name.ts';
import { jsonStrings } from './json-strings.ts';
import { InvalidRedactionRule, LinearPattern } from './linear-pattern.ts';
import { JoinedText, plainString } from './spelled-text.ts';
import { WorkBudget } from './work-budget.ts';

/** Rules are not applied to larger bodies. */
export const MAX_RULED_BYTES = 16 * 1024 * 1024;

/**
 * A user's rule for further values: the string (or all strings) at a JSON pointer of a body or of the data of an
 * event, where `*` matches any member; or the matches of a regular expression, which in JSON are searched for within
 * strings. Patterns use RE2 syntax, which runs in linear time, and see bodies as latin1.
 */
export type RedactionRule = { readonly pointer: string } | { readonly pattern: string };

/** Parses `pointer:/user` or `pattern:\d{3}-\d{4}`. Throws InvalidRedactionRule. */
export function parseRedactionRule(text: string): RedactionRule {
  const [, kind, value = ''] = /^(pointer|pattern):(.+)$/s.exec(text) ?? [];
  const rule = kind === 'pointer' ? { pointer: value } : { pattern: value };
  if (kind === undefined || (kind === 'pointer' && !value.startsWith('/'))) {
    throw new InvalidRedactionRule(
      `${text} is not a redaction rule. Write pointer:/a/b, where * matches any member, or pattern:REGEX.`,
    );
  }
  if ('pattern' in rule) new LinearPattern(rule.pattern);
  return rule;
}

export type BodyMedia = 'document' | 'event-stream';

export class RedactionRules {
  readonly #pointers: readonly (readonly string[])[];
  readonly #patterns: readonly LinearPattern[];
  readonly #aliasFor: AliasFactory;

  constructor(rules: readonly RedactionRule[], aliasFor: AliasFactory) {
    this.#aliasFor = aliasFor;
    this.#pointers = rules.flatMap((rule) => ('pointer' in rule ? [parseUserPointer(rule.pointer)] : []));
    this.#patterns = rules.flatMap((rule) => ('pattern' in rule ? [new LinearPattern(rule.pattern)] : []));
  }

  get isEmpty(): boolean {
    return this.#pointers.length === 0 && this.#patterns.length === 0;
  }

  /**
   * Redacts a text outside bodies, such as a header value, a target or a note. Calls `onExhausted` if the work budget
   * runs out; later matches stay unredacted.
   */
  redactText(text: string, onExhausted: () => void): string {
    const budget = new WorkBudget();
    const aliasText = (match: string) => Buffer.from(this.#aliasFor(match)).toString();
    let redacted = text;
    for (const pattern of this.#patterns) {
      const replaced = pattern.replaceIn(redacted, budget, aliasText);
      if (replaced.isExhausted) onExhausted();
      redacted = replaced.text;
    }
    return redacted;
  }

  /**
   * Redacts a complete body; returns the same array if nothing matches. Calls `onExhausted` if the work budget runs out
   * (later matches stay unredacted) or if a stream has too many events (nothing is redacted).
   */
  redactBody(bytes: Uint8Array, media: BodyMedia, onExhausted: () => void): Uint8Array {
    const budget = new WorkBudget();
    const isStream = media === 'event-stream' || beginsLikeStream(bytes) === true;
    const places = isStream ? streamPlaces(bytes) : bodyPlaces(bytes);
    if (places === null) onExhausted();
    let redacted = bytes;
    for (const { path, text } of places ?? []) {
      const hits = this.#findHits(path, text.bytes, budget, onExhausted);
      if (hits.length === 0) continue;
      if (redacted === bytes) redacted = new Uint8Array(bytes);
      const changed = Buffer.from(text.bytes);
      for (const [from, to] of hits) {
        const alias = this.#aliasFor(Buffer.from(text.bytes.subarray(from, to)).toString());
        // Bytes that are not UTF-8 are decoded to characters that take more bytes.
        changed.set(alias.subarray(0, to - from), from);
      }
      text.rewrite(changed, redacted);
    }
    return redacted;
  }

  #findHits(
    path: Place['path'],
    bytes: Uint8Array,
    budget: WorkBudget,
    onExhausted: () => void,
  ): readonly (readonly [from: number, to: number])[] {
    if (path !== null && this.#pointers.some((pointer) => pointsTo(pointer, path)))
      return [[0, bytes.length]];
    const text = Buffer.from(bytes).toString('latin1');
    return this.#patterns.flatMap((pattern) => {
      const { places, isExhausted } = pattern.findMatches(text, budget);
      if (isExhausted) onExhausted();
      return places;
    });
  }
}

/** A text within a body: its path in JSON (null in other text), and the position of each byte. */
interface Place {
  readonly path: readonly (string | number)[] | null;
  readonly text: JoinedText;
}

function bodyPlaces(bytes: Uint8Array): Place[] {
  return tryParseJson(bufferOn(bytes).toString()) === undefined
    ? [newPlace(null, plainString(bytes))]
    : [...jsonStrings(bytes)].map((string) => newPlace(string.path, string));
}

function streamPlaces(stream: Uint8Array): Place[] | null {
  const content = readEvents(stream);
  if (content === null) return null;
  const { events, rest } = content;
  const joined = new Map<string, Place>();
  const texts: Place[] = [];
  for (const event of rest === null ? events : [...events, rest]) {
    const data = eventData(stream.subarray(event.start, event.end));
    const json = structuredData(event);
    if (json === null) texts.push(newPlace(null, data, (at) => event.start + at));
    const placeOf = (i: number) => event.start + (data.at[i] ?? 0);
    for (const string of json === null ? [] : jsonStrings(data.bytes)) {
      const name = `${event.event} ${jsonPathName(string.path, json?.value ?? null)}`;
      getOrMake(joined, name, () => ({ path: string.path, text: new JoinedText() })).text.add(
        string,
        placeOf,
      );
    }
  }
  return [...joined.values(), ...texts];
}

function newPlace(path: Place['path'], ...added: Parameters<JoinedText['add']>): Place {
  const text = new JoinedText();
  text.add(...added);
  return { path, text };
}

function pointsTo(pointer: readonly string[], path: readonly (string | number)[]): boolean {
  return (
    pointer.length <= path.length && pointer.every((token, i) => token === '*' || token === String(path[i]))
  );
}
