import { createRequire } from 'node:module';
import { RE2JS } from 're2js';
import { KeywordIndex } from './keyword-index.ts';

/** A rule set as written by `scripts/data/import-secret-rules.ts`; expressions use RE2 syntax. */
interface RuleSet {
  /** Words that occur only in samples and placeholders; a secret with one is not reported. */
  readonly stopwords: readonly string[];
  readonly allow: readonly string[];
  readonly rules: readonly RuleData[];
}

/** An expression, its keywords (every match contains one of them), and expressions of secrets that are exceptions. */
interface RuleData {
  readonly id: string;
  readonly regex: string;
  /** Bits per character that the secret must exceed. */
  readonly entropy?: number;
  readonly keywords: readonly string[];
  readonly allow?: readonly string[];
}

interface FurtherRules {
  readonly rules: readonly RuleData[];
  /** Shapes that belong to no particular service; reported only if no other rule matches. */
  readonly generic: readonly RuleData[];
}

let shapeMatcher: ShapeMatcher | null = null;

/** Returns the names of the secret shapes in a text, never the secrets, in linear time. */
export function findSecretShapes(text: string): string[] {
  shapeMatcher ??= new ShapeMatcher();
  return shapeMatcher.findIn(text);
}

/** Indexes the expressions by keyword, so that it tries only a few of them per text. */
class ShapeMatcher {
  readonly #generic: readonly Rule[];
  readonly #rules: readonly Rule[];
  readonly #keywords: KeywordIndex;
  readonly #ruleByKeyword: readonly Rule[];
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
    const entries = [...this.#rules, ...this.#generic].flatMap((rule) =>
      rule.data.keywords.map((keyword) => ({ rule, keyword })),
    );
    this.#keywords = new KeywordIndex(entries.map(({ keyword }) => keyword));
    this.#ruleByKeyword = entries.map(({ rule }) => rule);
  }

  findIn(text: string): string[] {
    const candidates = new Set<Rule>();
    for (const index of this.#keywords.findIn(Buffer.from(text))) {
      const rule = this.#ruleByKeyword[index];
      if (rule !== undefined) candidates.add(rule);
    }
    if (candidates.size === 0) return [];
    // In JSON strings, quotes and slashes are escaped, sometimes more than once. The lookbehind keeps this linear.
    const plain = text.replaceAll(/(?<!\\)\\+(?=["/])/g, '');
    const selectMatching = (rules: readonly Rule[]) =>
      rules.filter(
        (rule) => candidates.has(rule) && rule.matches(plain, (secret) => this.#isAllowed(secret)),
      );
    const found = selectMatching(this.#rules);
    // A rule that names a service is more informative.
    return (found.length > 0 ? found : selectMatching(this.#generic)).map(({ data }) => data.id);
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
    const matcher = this.#regex.matcher(text);
    while (matcher.find()) {
      const groups = Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1) ?? '');
      const secret = groups.find((group) => group !== '') ?? matcher.group() ?? '';
      if (entropy(secret) <= (this.data.entropy ?? -1)) continue;
      if (!isAllowed(secret) && !this.#isException(secret)) return true;
    }
    return false;
  }

  #isException(secret: string): boolean {
    return (this.data.allow ?? []).some((regex) => RE2JS.compile(regex).matcher(secret).find());
  }
}

/** Bits of information per character. */
function entropy(text: string): number {
  const characters = [...text];
  const counts = new Map<string, number>();
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / characters.length) * Math.log2(count / characters.length);
  return bits;
}
