import { createRequire } from 'node:module';
import { RE2JS } from 're2js';

/** A rule set as written by `scripts/data/import-secret-rules.ts`; expressions use RE2 syntax. */
interface RuleSet {
  /** Words that only occur in samples and placeholders; a secret with one is not reported. */
  readonly stopwords: readonly string[];
  readonly allow: readonly string[];
  readonly rules: readonly RuleData[];
}

/** An expression, its keywords (every match contains one of them), and exceptions. */
interface RuleData {
  readonly id: string;
  readonly regex: string;
  /** Minimum bits per character of the secret. */
  readonly entropy?: number;
  readonly keywords: readonly string[];
  readonly allow?: readonly { readonly regexes: readonly string[]; readonly target: Target }[];
}

/** The text that an exception is matched against. */
type Target = 'secret' | 'match' | 'line';

/** Shapes that the rule set lacks, from `secret-rules/further.json`. */
interface FurtherRules {
  readonly rules: readonly RuleData[];
  /** Shapes that belong to no particular service; reported only if no other rule matches. */
  readonly generic: readonly RuleData[];
}

let matcher: ShapeMatcher | null = null;

/** Names of the secret shapes in a text; never the secrets. Linear time. */
export function secretShapes(text: string): string[] {
  matcher ??= new ShapeMatcher();
  return matcher.findIn(text);
}

/** Tries few expressions per text, because they are indexed by keyword. */
class ShapeMatcher {
  readonly #generic: readonly Rule[];
  readonly #rules: readonly Rule[];
  readonly #keywords: KeywordIndex;
  readonly #ruleOf: readonly Rule[];
  readonly #allow: readonly RE2JS[];
  readonly #stopwords: readonly string[];

  constructor() {
    const require = createRequire(import.meta.url);
    const data = require('#secret-rules/gitleaks.json') as RuleSet; // as: written by the import script
    const further = require('#secret-rules/further.json') as FurtherRules; // as: part of the sources
    this.#rules = [...data.rules, ...further.rules].map((rule) => new Rule(rule));
    this.#generic = further.generic.map((rule) => new Rule(rule));
    this.#allow = data.allow.map((regex) => RE2JS.compile(regex));
    this.#stopwords = data.stopwords;
    const named = [...this.#rules, ...this.#generic].flatMap((rule) =>
      rule.data.keywords.map((keyword) => ({ rule, keyword })),
    );
    this.#keywords = new KeywordIndex(named.map(({ keyword }) => keyword));
    this.#ruleOf = named.map(({ rule }) => rule);
  }

  findIn(text: string): string[] {
    const candidates = new Set<Rule>();
    for (const keyword of this.#keywords.findIn(Buffer.from(text))) {
      const rule = this.#ruleOf[keyword];
      if (rule !== undefined) candidates.add(rule);
    }
    if (candidates.size === 0) return [];
    // In JSON strings, quotes and slashes are escaped, sometimes more than once.
    const plain = text.replaceAll(/\\+(?=["/])/g, '');
    const matching = (rules: readonly Rule[]) =>
      rules.filter(
        (rule) => candidates.has(rule) && rule.matches(plain, (secret) => this.#isAllowed(secret)),
      );
    const found = matching(this.#rules);
    // A rule that names a service is more informative.
    return (found.length > 0 ? found : matching(this.#generic)).map(({ data }) => data.id);
  }

  #isAllowed(secret: string): boolean {
    return (
      secret.includes('redacted_') ||
      this.#stopwords.some((word) => secret.toLowerCase().includes(word)) ||
      this.#allow.some((regex) => regex.matcher(secret).find())
    );
  }
}

class Rule {
  readonly data: RuleData;
  #regex: RE2JS | null = null;

  constructor(data: RuleData) {
    this.data = data;
  }

  matches(text: string, isAllowed: (secret: string) => boolean): boolean {
    this.#regex ??= RE2JS.compile(this.data.regex);
    for (const found = this.#regex.matcher(text); found.find(); ) {
      const match = found.group() ?? '';
      const groups = Array.from({ length: found.groupCount() }, (_, i) => found.group(i + 1) ?? '');
      const secret = groups.find((group) => group !== '') ?? match;
      if (entropy(secret) <= (this.data.entropy ?? -1)) continue;
      if (!isAllowed(secret) && !this.#isException({ secret, match, line: text })) return true;
    }
    return false;
  }

  #isException(targets: Readonly<Record<Target, string>>): boolean {
    return (this.data.allow ?? []).some(({ regexes, target }) =>
      regexes.some((regex) => RE2JS.compile(regex).matcher(targets[target]).find()),
    );
  }
}

/** Bits of information per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/**
 * Finds which of many keywords occur in a text, in one pass (Aho and Corasick, 1975). ASCII letters match in either
 * case.
 */
export class KeywordIndex {
  /** Next state for each state and byte. */
  readonly #next: Int32Array;
  /** The keywords that end at each state. */
  readonly #found: number[][] = [[]];

  constructor(keywords: readonly string[]) {
    const texts = keywords.map((keyword) => Buffer.from(keyword.toLowerCase()));
    this.#next = new Int32Array(256 * texts.reduce((sum, { length }) => sum + length, 1));
    for (const [i, text] of texts.entries()) {
      const state = text.reduce((before, byte) => this.#child(before, byte), 0);
      this.#found[state]?.push(i);
    }
    this.#link();
  }

  findIn(text: Uint8Array): ReadonlySet<number> {
    const all = new Set<number>();
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const byte = text[at] ?? 0;
      state = this.#next[state * 256 + (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte)] ?? 0;
      for (const keyword of this.#found[state] ?? []) all.add(keyword);
    }
    return all;
  }

  #child(state: number, byte: number): number {
    const known = this.#next[state * 256 + byte] ?? 0;
    if (known !== 0) return known;
    this.#next[state * 256 + byte] = this.#found.length;
    return this.#found.push([]) - 1;
  }

  /** Breadth first: a state without a child for a byte continues as its longest proper suffix that is a state. */
  #link(): void {
    const next = this.#next;
    const suffix = new Int32Array(this.#found.length);
    const queue = [0];
    for (const state of queue) {
      const shorter = suffix[state] ?? 0;
      if (state !== 0) this.#found[state]?.push(...(this.#found[shorter] ?? []));
      for (let byte = 0; byte < 256; byte += 1) {
        const child = next[state * 256 + byte] ?? 0;
        const other = state === 0 ? 0 : (next[shorter * 256 + byte] ?? 0);
        if (child === 0) next[state * 256 + byte] = other;
        else {
          suffix[child] = other;
          queue.push(child);
        }
      }
    }
  }
}
