import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { CountedText, OutOfWork, ReadBackwards, type WorkBudget } from './work-budget.ts';

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
  readonly isExhausted: boolean;
}

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

  findMatches(text: string, budget: WorkBudget): PatternMatches {
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
    const { places, isExhausted } = this.findMatches(text, budget);
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
    // as: the engine accepts String objects. It reads backwards only when it abandons its automaton and starts over.
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

export class UnsupportedPattern extends Error {
  override readonly name = 'UnsupportedPattern';
}

export function compileLinear(pattern: string): RE2JS {
  const { RE2JS, RE2JSException } = loadEngine();
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.LOOKBEHINDS);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new UnsupportedPattern(error.message.replace(/^error parsing regexp: /, ''));
  }
}

export class InvalidRedactionRule extends Error {
  override readonly name = 'InvalidRedactionRule';
}
