import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const MAX_INSTRUCTIONS = 250;
/** Work per character of a search for matches (plus one unit per instruction), and of a test for any match. */
const SEARCH_PRICE = 16;
const TEST_PRICE = 2;

type Engine = typeof import('re2js');

/** Loads the engine when the first pattern needs it, because most recordings have none. */
function loadEngine(): Engine {
  // as: these are the exports of the package
  return createRequire(import.meta.url)('re2js') as Engine;
}

interface PatternMatches {
  readonly places: readonly (readonly [from: number, to: number])[];
  /** Whether the work budget ran out before the end of the text. */
  readonly isExhausted: boolean;
}

/** A regular expression in RE2 syntax, which runs in linear time on every text. */
export class LinearPattern {
  /** Instructions of the compiled pattern: the worst-case steps per character. */
  readonly size: number;
  readonly #compiled: RE2JS;

  /** Throws InvalidRedactionRule if the engine does not support the pattern, or if it is too large to be fast. */
  constructor(pattern: string) {
    this.#compiled = compile(pattern);
    this.size = this.#compiled.programSize();
    if (this.size <= MAX_INSTRUCTIONS) return;
    throw new InvalidRedactionRule(
      `pattern:${pattern} is too slow: it compiles to ${this.size} instructions, but at most ${MAX_INSTRUCTIONS} are ` +
        'allowed. Use smaller counts in braces, or several patterns.',
    );
  }

  /** Finds non-empty matches. Stops when the budget runs out (`isExhausted`). */
  matches(text: string, budget: WorkBudget): PatternMatches {
    const places: (readonly [number, number])[] = [];
    try {
      if (!this.#mayMatch(text, budget)) return { places, isExhausted: false };
      const price = SEARCH_PRICE + this.size;
      const input = loadEngine().MatcherInput.utf16(new CountedText(text, { budget, price, order: 'any' }));
      for (const matcher = this.#compiled.matcher(input); matcher.find(); ) {
        if (matcher.end() > matcher.start()) places.push([matcher.start(), matcher.end()]);
      }
      return { places, isExhausted: false };
    } catch (error) {
      if (error instanceof OutOfWork) return { places, isExhausted: true };
      throw error;
    }
  }

  replaceIn(
    text: string,
    budget: WorkBudget,
    replacement: (match: string) => string,
  ): { readonly text: string; readonly isExhausted: boolean } {
    const { places, isExhausted } = this.matches(text, budget);
    let end = 0;
    let replaced = '';
    for (const [from, to] of places) {
      replaced += text.slice(end, from) + replacement(text.slice(from, to));
      end = to;
    }
    return { text: replaced + text.slice(end), isExhausted };
  }

  /** Whether there may be a match; many times cheaper than a search. True if the test is too complex for the engine. */
  #mayMatch(text: string, budget: WorkBudget): boolean {
    // as: the engine accepts String objects; it starts over if it abandons its automaton
    const options = { budget, price: TEST_PRICE, order: 'forward' } as const;
    const counted = new CountedText(text, options) as unknown as string;
    try {
      return this.#compiled.test(counted);
    } catch (error) {
      if (error instanceof ReadBackwards) return true;
      throw error;
    }
  }
}

function compile(pattern: string): RE2JS {
  try {
    return compileLinear(pattern);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    throw new InvalidRedactionRule(
      `pattern:${pattern} is not a supported regular expression: ${error.message}. Patterns run in linear time, so ` +
        'lookahead, backreferences and counts above 1000 are not supported.',
    );
  }
}

/** The message says why the pattern cannot run in linear time. */
export class UnsupportedPattern extends Error {
  override name = 'UnsupportedPattern';
}

function compileLinear(pattern: string): RE2JS {
  const { RE2JS, RE2JSException } = loadEngine();
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.LOOKBEHINDS);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new UnsupportedPattern(error.message.replace(/^error parsing regexp: /, ''));
  }
}

/** `\s` and `\S` of ECMAScript; in RE2 they cover only ASCII, without the vertical tab. */
const WHITE_SPACE =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_WHITE_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
/** Characters that a dot does not match; RE2 excludes only the first. */
const LINE_TERMINATORS = '\\n\\r\\x{2028}\\x{2029}';

/**
 * Compiles a pattern of a user's JSON Schema to a test for a match anywhere in a text: ECMAScript semantics in linear
 * time. Throws UnsupportedPattern for constructs such as lookahead and backreferences.
 */
export function linearTest(pattern: string): (text: string) => boolean {
  const compiled = compileLinear(translatePattern(pattern));
  return (text) => compiled.test(text);
}

/** Rewrites the parts of a pattern (with the flag `u`) that have another meaning in RE2. */
function translatePattern(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(/\\?./gsu, (token) => {
    if (token === '\\s') return isInClass ? WHITE_SPACE : `[${WHITE_SPACE}]`;
    if (token === '\\S') return isInClass ? NOT_WHITE_SPACE : `[${NOT_WHITE_SPACE}]`;
    if (token === '.' && !isInClass) return `[^${LINE_TERMINATORS}]`;
    if (token === '[') isInClass = true;
    if (token === ']') isInClass = false;
    return token;
  });
}

/**
 * Maximum work of patterns on one text or body: about a second, in units of 15 to 40 ns. One search is linear, but a
 * text may need as many searches as it has characters: `a.*b|a` looks for a `b` up to the end from every `a`.
 */
const MAX_WORK = 40_000_000;

class OutOfWork extends Error {
  override readonly name = 'OutOfWork';
}

class ReadBackwards extends Error {
  override readonly name = 'ReadBackwards';
}

export class WorkBudget {
  readonly #limit: number;
  #spent = 0;

  constructor(limit = MAX_WORK) {
    this.#limit = limit;
  }

  /** Work so far, which exceeds the limit by at most the price of one character for each search. */
  get spent(): number {
    return this.#spent;
  }

  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#limit) throw new OutOfWork();
  }
}

/** A text that charges a budget for each character that the engine reads. */
class CountedText extends String {
  readonly #text: string;
  readonly #budget: WorkBudget;
  readonly #price: number;
  readonly #order: 'any' | 'forward';
  #farthest = 0;

  /** `price`: units per character. `forward`: throws ReadBackwards if the engine steps back by more than one. */
  constructor(
    text: string,
    { budget, price, order }: { budget: WorkBudget; price: number; order: 'any' | 'forward' },
  ) {
    super(text);
    this.#text = text;
    this.#budget = budget;
    this.#price = price;
    this.#order = order;
  }

  override charCodeAt(at: number): number {
    this.#budget.spend(this.#price);
    if (at > this.#farthest) this.#farthest = at;
    else if (this.#order === 'forward' && at < this.#farthest - 1) throw new ReadBackwards();
    return this.#text.charCodeAt(at);
  }
}

/** The message names the rule and says how to correct it. */
export class InvalidRedactionRule extends Error {
  override readonly name = 'InvalidRedactionRule';
}
