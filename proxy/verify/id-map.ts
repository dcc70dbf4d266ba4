import type { Json } from '../../exchange/http/body.ts';
import { escapePattern } from '../../schemas/escape-pattern.ts';
import { isJsonBranch } from '../../schemas/json.ts';
import { pairElements } from './pair-elements.ts';

/** The form of generated identifiers: a prefix, a separator, and at least six more characters. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9.]*[-_][A-Za-z0-9_-]{6,}$/;

/** Members whose values may look like identifiers but are not assigned, or repeat the id of another element. */
const NEVER_ASSIGNED =
  /^(?:code|finish_reason|model|object|purpose|reason|role|status|type|first_id|last_id)$/;

interface LearnContext {
  readonly name?: string;
  /** Whether the request contained a text; then the text is not learned, as this response did not assign it. */
  readonly isSent?: (text: string) => boolean;
}

export class IdMap {
  readonly #currentIds = new Map<string, string>();
  #pattern: RegExp | null = null;

  /** Learns from two responses to the same request: identifiers at the same place correspond. */
  learn(recorded: Json, current: Json, context: LearnContext = {}): void {
    const { name = '', isSent = () => false } = context;
    if (typeof recorded === 'string' && typeof current === 'string') {
      if (recorded === '' || recorded === current || NEVER_ASSIGNED.test(name) || isSent(recorded)) return;
      const isId = name === 'id' || name.endsWith('_id') || name.endsWith('_ids');
      if (!isId && !(IDENTIFIER.test(recorded) && IDENTIFIER.test(current))) return;
      this.#currentIds.set(recorded, current);
      this.#pattern = null;
    } else if (Array.isArray(recorded) && Array.isArray(current)) {
      for (const [i, k] of pairElements(recorded, current, (id) => this.apply(id))) {
        const [before, now] = [recorded[i], current[k]];
        if (before !== undefined && now !== undefined) this.learn(before, now, context);
      }
    } else if (isJsonBranch(recorded) && isJsonBranch(current)) {
      const currentMembers = new Map<string, Json>(Object.entries(current));
      for (const [key, value] of Object.entries(recorded)) {
        const match = currentMembers.get(key);
        if (match !== undefined) this.learn(value, match, { isSent, name: key });
      }
    }
  }

  /** Replaces recorded identifiers in a recorded text with current ones. */
  apply(text: string): string {
    if (this.#currentIds.size === 0) return text;
    this.#pattern ??= createPattern([...this.#currentIds.keys()]);
    return text.replace(this.#pattern, (recorded) => this.#currentIds.get(recorded) ?? recorded);
  }
}

/** Minimum length, in UTF-16 code units, of an identifier that longer words do not contain by chance. */
const MIN_EMBEDDED_LENGTH = 6;

/**
 * Matches short identifiers only as whole words, and all-digit ones only as a JSON string, path segment or query
 * value, not as a number. Each group tests its surroundings once for all its identifiers: there may be thousands.
 */
function createPattern(ids: readonly string[]): RegExp {
  const isNumber = (id: string) => /^\d+$/.test(id);
  const words = ids.filter((id) => !isNumber(id));
  const groups = [
    ['', words.filter((id) => id.length >= MIN_EMBEDDED_LENGTH), ''],
    [String.raw`(?<![\w-])`, words.filter((id) => id.length < MIN_EMBEDDED_LENGTH), String.raw`(?![\w-])`],
    ['(?<=^|["/=])', ids.filter(isNumber), '(?=$|["/?&])'],
  ] as const;
  const patterns = groups.flatMap(([before, group, after]) =>
    group.length === 0 ? [] : `${before}${anyOf(group)}${after}`,
  );
  return new RegExp(patterns.join('|'), 'g');
}

/** Tries longer texts first, because one may begin with another. */
function anyOf(texts: readonly string[]): string {
  const longestFirst = texts.toSorted((a, b) => b.length - a.length);
  return `(?:${longestFirst.map(escapePattern).join('|')})`;
}
