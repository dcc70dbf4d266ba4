// The regular expressions of a document. Answers are hostile until judged, so each one runs in linear time.
import { UnsupportedPattern } from '../../exchange/redaction/linear-pattern.ts';
import { linearTest } from '../../exchange/redaction/linear-pattern.ts';
import { ExtensionError } from '../extension-error.ts';

/** Tests of texts, by the pattern. */
export type Patterns = ReadonlyMap<string, (text: string) => boolean>;

/** Collects the patterns of the schemas of a document. */
export class PatternCollector {
  readonly #where: string;
  readonly #tests = new Map<string, (text: string) => boolean>();

  /** `where`: the document, for messages. */
  constructor(where: string) {
    this.#where = where;
  }

  /** The patterns that can be judged. */
  get tests(): Patterns {
    return this.#tests;
  }

  /** Takes a pattern; returns why it cannot be judged, or null where it can. Throws ExtensionError for one that is not valid. */
  take(pattern: string): string | null {
    if (this.#tests.has(pattern)) return null;
    try {
      // The dialect of JSON Schema; RE2 takes some patterns that it does not.
      new RegExp(pattern, 'u');
    } catch {
      throw new ExtensionError(`${this.#where}: the pattern ${pattern} is not a regular expression.`);
    }
    try {
      this.#tests.set(pattern, linearTest(pattern));
      return null;
    } catch (error) {
      if (!(error instanceof UnsupportedPattern)) throw error;
      return `${pattern} cannot run in linear time, which lookahead, backreferences and counts above 1000 prevent (${error.message})`;
    }
  }
}
