import { createRequire } from 'node:module';
import { RE2JS } from 're2js';

/** A rule set as written by `scripts/data/import-secret-rules.ts`; expressions use RE2 syntax. */
interface RuleSet {
  /** Words that only occur in samples and placeholders; a secret with one is not reported. */
  readonly stopwords: readonly string[];
  /** Expressions for values that are not secrets. */
  readonly allow: readonly string[];
  readonly rules: readonly RuleData[];
}

/** An expression, keywords one of which every match contains, and exceptions. */
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

/** Separators between the name of a setting and its value, in programs, JSON and headers. */
const GIVEN = '[\\s"\'`:=,>]{1,8}';

/**
 * Shapes that the rule set lacks: keys of inference services, and credentials that are recognisable by their place.
 * Add new ones here.
 */
const FURTHER: readonly RuleData[] = [
  { id: 'groq-api-key', regex: '\\bgsk_[A-Za-z0-9]{52}\\b', keywords: ['gsk_'] },
  { id: 'replicate-api-token', regex: '\\br8_[A-Za-z0-9]{37}\\b', keywords: ['r8_'] },
  { id: 'xai-api-key', regex: '\\bxai-[A-Za-z0-9]{70,90}\\b', keywords: ['xai-'] },
  { id: 'nvidia-api-key', regex: '\\bnvapi-[A-Za-z0-9_-]{40,90}', keywords: ['nvapi-'] },
  { id: 'pinecone-api-key', regex: '\\bpcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,80}\\b', keywords: ['pcsk_'] },
  { id: 'together-api-key', regex: '\\btgp_v1_[A-Za-z0-9_-]{40,50}', keywords: ['tgp_v1_'] },
  {
    id: 'together-api-key',
    regex: `(?i)together[\\w .-]{0,20}(?:key|token)${GIVEN}([a-f0-9]{64})(?:[^a-z0-9]|$)`,
    keywords: ['together'],
  },
  {
    id: 'mistral-api-key',
    regex: `(?i)mistral[\\w .-]{0,20}(?:key|token)${GIVEN}([a-z0-9]{32})(?:[^a-z0-9]|$)`,
    entropy: 3,
    keywords: ['mistral'],
  },
  { id: 'azure-openai-api-key', regex: '\\b[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}\\b', keywords: ['jqqj99'] },
  {
    id: 'azure-openai-api-key',
    regex: `(?i)(?:azure[\\w .-]{0,30}key|\\bapi-key)${GIVEN}([a-f0-9]{32})(?:[^a-z0-9]|$)`,
    entropy: 3,
    keywords: ['azure', 'api-key'],
  },
  {
    id: 'telegram-bot-api-token',
    regex: '\\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?:[^A-Za-z0-9_-]|$)',
    keywords: [':aa'],
  },
  {
    id: 'discord-bot-token',
    // The second part is a time: its first letter is that of the years from 2015 to 2033.
    regex:
      '\\b[MNO][A-Za-z0-9_-]{23,27}\\.[GHVWXYZ][A-Za-z0-9_-]{5}\\.[A-Za-z0-9_-]{27,38}(?:[^A-Za-z0-9_-]|$)',
    entropy: 3.5,
    keywords: ['.g', '.h', '.v', '.w', '.x', '.y', '.z'],
  },
  {
    id: 'discord-webhook-url',
    regex: 'discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,80})',
    keywords: ['/api/webhooks/'],
  },
  { id: 'google-oauth-client-secret', regex: '\\bGOCSPX-[A-Za-z0-9_-]{28}', keywords: ['gocspx-'] },
  { id: 'azure-storage-account-key', regex: 'AccountKey=[A-Za-z0-9+/]{86}==', keywords: ['accountkey='] },
  {
    id: 'aws-secret-access-key',
    regex: '(?i)aws.{0,20}(?:secret|private).{0,20}[\\s\'"=:]([a-z0-9/+]{40})(?:[^a-z0-9/+]|$)',
    entropy: 3.5,
    keywords: ['aws'],
  },
  {
    id: 'password-in-url',
    regex: '(?i)\\b[a-z][a-z0-9+.-]{1,20}://[^\\s:/@"<>]{0,100}:([^\\s:/@"<>{}$]{4,100})@',
    entropy: 2,
    keywords: ['://'],
  },
  {
    id: 'signed-url',
    regex:
      '(?i)(?:[?&;#]|(?:%|\\\\u00)(?:26|3f|3b))' +
      '(?:sig|signature|q-signature|temp_url_sig|security-token|x-[a-z]{2,7}-(?:signature|security-token))(?:=|%3d|\\\\+u003d)([a-z0-9%._~+/=-]{20,})',
    entropy: 3,
    keywords: ['sig=', 'sig%3', 'sig\\', 'signature=', 'signature%3', 'signature\\', 'security-token'],
  },
  {
    id: 'basic-credentials',
    regex: '(?i)\\bBasic +([a-z0-9+/]{16,}={0,2})',
    entropy: 3,
    keywords: ['basic '],
  },
];

/** Shapes of any service, reported only if no other rule matches. */
const GENERIC: readonly RuleData[] = [
  { id: 'an API key', regex: '\\bsk-[A-Za-z0-9_-]{20,}', keywords: ['sk-'] },
  { id: 'a bearer token', regex: '(?i)\\bBearer +([a-z0-9._~+/-]{20,})', keywords: ['bearer '] },
  { id: 'a private key', regex: '-----BEGIN [A-Z ]*PRIVATE KEY-----', keywords: ['private key-----'] },
];

let matcher: ShapeMatcher | null = null;

/** Names of the secret shapes in a text; never the secrets. Linear time. */
export function secretShapes(text: string): string[] {
  matcher ??= new ShapeMatcher();
  return matcher.in(text);
}

/** Indexed by keyword, so that few expressions are tried per text. */
class ShapeMatcher {
  readonly #generic = GENERIC.map((rule) => new Rule(rule));
  readonly #rules: readonly Rule[];
  readonly #keywords: KeywordIndex;
  readonly #ruleOf: readonly Rule[];
  readonly #allow: readonly RE2JS[];
  readonly #stopwords: readonly string[];

  constructor() {
    // as: the file is written by the import script in this shape
    const data = createRequire(import.meta.url)('#secret-rules/gitleaks.json') as RuleSet;
    this.#rules = [...data.rules, ...FURTHER].map((rule) => new Rule(rule));
    this.#allow = data.allow.map((regex) => RE2JS.compile(regex));
    this.#stopwords = data.stopwords;
    const named = [...this.#rules, ...this.#generic].flatMap((rule) =>
      rule.data.keywords.map((keyword) => ({ rule, keyword })),
    );
    this.#keywords = new KeywordIndex(named.map(({ keyword }) => keyword));
    this.#ruleOf = named.map(({ rule }) => rule);
  }

  in(text: string): string[] {
    const candidates = new Set<Rule>();
    for (const keyword of this.#keywords.in(Buffer.from(text))) {
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
    // The name of a service is more informative.
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

type Transitions = Int32Array;

/**
 * Finds which of many keywords occur in a text, in one pass (Aho and Corasick, 1975). ASCII letters match in either
 * case.
 */
export class KeywordIndex {
  readonly #next: Transitions;
  /** By state: the keywords that end there. */
  readonly #found: readonly (readonly number[])[];

  constructor(keywords: readonly string[]) {
    const trie = new Trie();
    for (const [i, keyword] of keywords.entries()) trie.add(Buffer.from(keyword.toLowerCase()), i);
    this.#next = trie.automaton();
    this.#found = trie.found;
  }

  in(text: Uint8Array): ReadonlySet<number> {
    const all = new Set<number>();
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = this.#next[state * 256 + (text[at] ?? 0)] ?? 0;
      for (const keyword of this.#found[state] ?? NONE) all.add(keyword);
    }
    return all;
  }
}

const NONE: readonly number[] = [];
const ABSENT = -1;

class Trie {
  readonly found: number[][] = [[]];
  readonly #children: Map<number, number>[] = [new Map()];

  add(keyword: Uint8Array, position: number): void {
    let state = 0;
    for (const byte of keyword) state = this.#child(state, byte);
    this.found[state]?.push(position);
  }

  #child(state: number, byte: number): number {
    const known = this.#children[state]?.get(byte);
    if (known !== undefined) return known;
    const child = this.#children.length;
    this.#children[state]?.set(byte, child);
    this.#children.push(new Map());
    this.found.push([]);
    return child;
  }

  /** Breadth first: a state without a child for a byte continues as its longest proper suffix that is a state. */
  automaton(): Transitions {
    const next = new Int32Array(this.#children.length * 256).fill(ABSENT);
    const suffix = new Int32Array(this.#children.length);
    for (const queue = [0]; queue.length > 0; ) {
      const state = queue.shift() ?? 0;
      const shorter = suffix[state] ?? 0;
      if (state !== 0) this.found[state]?.push(...(this.found[shorter] ?? NONE));
      for (let byte = 0; byte < 256; byte += 1) {
        const child = this.#children[state]?.get(lower(byte));
        const other = state === 0 ? 0 : (next[shorter * 256 + byte] ?? 0);
        next[state * 256 + byte] = child ?? other;
        if (child === undefined || byte !== lower(byte)) continue;
        suffix[child] = other;
        queue.push(child);
      }
    }
    return next;
  }
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}
