import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { InvalidRedactionRule } from '../invalid-rule.ts';
import { CountedText, OutOfWork, ReadAgain, type WorkBudget } from './work-budget.ts';

/** Instructions of one pattern, at most. */
const MOST_INSTRUCTIONS = 250;
/** Work per character, in units: of a search for places, beside one per instruction; and of a test whether there are any. */
const SEARCH_PRICE = 16;
const TEST_PRICE = 2;

/** The exports of the regular expression engine. */
type Engine = typeof import('re2js');

/** Loaded only where there is a pattern: most recordings have none. */
function engine(): Engine {
  // as: these are the exports of the package
  return createRequire(import.meta.url)('re2js') as Engine;
}

/** Places in a text, as offsets of characters: from the first up to but not including the last. */
export interface PatternMatches {
  readonly places: readonly (readonly [from: number, to: number])[];
  /** Whether the work was used up before the end of the text. */
  readonly exhausted: boolean;
}

/** A regular expression in the syntax of RE2. One search takes time linear in the length of the text, whatever the text is. */
export class LinearPattern {
  /** Instructions of the compiled pattern: the steps per character, at the worst. */
  readonly size: number;
  /** The compiled program; it keeps caches between searches. */
  readonly #compiled: RE2JS;

  /** Throws InvalidRedactionRule, which names the pattern, where the engine does not support it or it is too large to be fast. */
  constructor(pattern: string) {
    this.#compiled = compile(pattern);
    this.size = this.#compiled.programSize();
    if (this.size <= MOST_INSTRUCTIONS) return;
    throw new InvalidRedactionRule(
      `pattern:${pattern} is too slow: it compiles to ${this.size} instructions, at most ${MOST_INSTRUCTIONS} are ` +
        'allowed. Use smaller counts in braces, or several patterns.',
    );
  }

  /**
   * The places where the pattern matches, without empty matches: there is nothing to replace. Once the budget is used up, only
   * those found so far; `exhausted` of the result says so.
   */
  matches(text: string, budget: WorkBudget): PatternMatches {
    const places: (readonly [number, number])[] = [];
    try {
      if (!this.#mayMatch(text, budget)) return { places, exhausted: false };
      const price = SEARCH_PRICE + this.size;
      const input = engine().MatcherInput.utf16(new CountedText(text, { budget, price, order: 'any' }));
      for (const matcher = this.#compiled.matcher(input); matcher.find(); ) {
        if (matcher.end() > matcher.start()) places.push([matcher.start(), matcher.end()]);
      }
      return { places, exhausted: false };
    } catch (error) {
      if (error instanceof OutOfWork) return { places, exhausted: true };
      throw error;
    }
  }

  /** Tests for a match without its place, which is many times cheaper; true where the engine finds that too complex. */
  #mayMatch(text: string, budget: WorkBudget): boolean {
    // as: the engine accepts String objects; it begins again from the start where it gives its automaton up
    const counted = new CountedText(text, {
      budget,
      price: TEST_PRICE,
      order: 'forward',
    }) as unknown as string;
    try {
      return this.#compiled.test(counted);
    } catch (error) {
      if (error instanceof ReadAgain) return true;
      throw error;
    }
  }
}

/** Compiles a pattern of a rule. Throws InvalidRedactionRule with the reason of the engine. */
function compile(pattern: string): RE2JS {
  try {
    return compileLinear(pattern);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    throw new InvalidRedactionRule(
      `pattern:${pattern} is not a regular expression of the supported kind: ${error.message}. Patterns run in linear time, so ` +
        'lookahead, backreferences and counts above 1000 are not supported.',
    );
  }
}

/** A pattern that the engine cannot run in linear time, with its reason. */
export class UnsupportedPattern extends Error {
  override name = 'UnsupportedPattern';
}

/** Compiles a pattern. Throws UnsupportedPattern. */
export function compileLinear(pattern: string): RE2JS {
  const { RE2JS, RE2JSException } = engine();
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.LOOKBEHINDS);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new UnsupportedPattern(error.message.replace(/^error parsing regexp: /, ''));
  }
}
