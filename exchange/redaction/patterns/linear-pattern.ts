import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { InvalidRedactionRule } from '../invalid-rule.ts';

/** Instructions of one pattern, at most. */
const MOST_INSTRUCTIONS = 250;

type Engine = typeof import('re2js');

/** Loaded only where there is a pattern: most recordings have none. */
function engine(): Engine {
  // as: these are the exports of the package
  return createRequire(import.meta.url)('re2js') as Engine;
}

/** A regular expression in the syntax of RE2. A match takes time linear in the length of the text, whatever the text is. */
export class LinearPattern {
  /** Instructions of the compiled pattern: the steps per character, at the worst. */
  readonly size: number;
  readonly #compiled: RE2JS;

  /** Throws BadRule, which names the pattern, where the engine does not support it or it is too large to be fast. */
  constructor(pattern: string) {
    this.#compiled = compile(pattern);
    this.size = this.#compiled.programSize();
    if (this.size <= MOST_INSTRUCTIONS) return;
    throw new InvalidRedactionRule(
      `pattern:${pattern} is too slow: it compiles to ${this.size} instructions, at most ${MOST_INSTRUCTIONS} are ` +
        'allowed. Use smaller counts in braces, or several patterns.',
    );
  }

  /** Where the pattern matches. Empty matches are left out: there is nothing to replace. */
  matches(text: string): (readonly [from: number, to: number])[] {
    const found: (readonly [number, number])[] = [];
    for (const matcher = this.#compiled.matcher(text); matcher.find(); ) {
      if (matcher.end() > matcher.start()) found.push([matcher.start(), matcher.end()]);
    }
    return found;
  }
}

function compile(pattern: string): RE2JS {
  const { RE2JS, RE2JSException } = engine();
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.LOOKBEHINDS);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '');
    throw new InvalidRedactionRule(
      `pattern:${pattern} is not a regular expression of the supported kind: ${reason}. Patterns run in linear time, so ` +
        'lookahead, backreferences and counts above 1000 are not supported.',
    );
  }
}
