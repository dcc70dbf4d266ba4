import type { Json } from '../../exchange/http/body.ts';
import { InvalidRedactionRule, LinearPattern } from '../../exchange/redaction/linear-pattern.ts';
import { WorkBudget } from '../../exchange/redaction/work-budget.ts';
import { isJsonBranch } from '../../schemas/json.ts';
import { isJsonPointer } from '../../schemas/pointer.ts';

type Normalise = (text: string) => string;

const TIME = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\b\.?)?(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}))?`;
const DAY = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?';
const MONTH = String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?`;
const ORDINAL = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
const DATES = [
  String.raw`\d{4}-\d{2}-\d{2}`,
  String.raw`\d{4}/\d{2}/\d{2}`,
  String.raw`\d{8}T\d{6}Z?`,
  String.raw`\d{1,2}[/.]\d{1,2}[/.]\d{4}`,
  String.raw`${MONTH} ${ORDINAL},? \d{4}`,
  String.raw`${ORDINAL}[ -]${MONTH},?[ -]\d{4}`,
].join('|');

/** Each match is bounded in length, so that the search takes linear time. */
const KIND_PATTERNS: ReadonlyMap<string, RegExp> = new Map([
  [
    'date',
    new RegExp(
      String.raw`(?<![^\W_]|\d[.:/-])(?:${DAY}(?:${DATES})(?:(?:T|,? (?:at )?)${TIME})?|${TIME})(?![^\W_]|[.:/-]\d)`,
      'gi',
    ),
  ],
  ['uuid', /(?<![\w-])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\w-])/gi],
]);

export class InvalidNormalising extends Error {
  override readonly name = 'InvalidNormalising';
}

/**
 * Parses the values of `--normalise`. `pointers`: places that are not compared. `normalise`: null if texts are compared
 * as they are. Throws InvalidNormalising.
 */
export function parseNormalising(values: readonly string[]): {
  readonly pointers: readonly string[];
  readonly normalise: Normalise | null;
} {
  const pointers: string[] = [];
  const steps: Normalise[] = [];
  for (const value of values.flatMap(splitList)) {
    const kindPattern = KIND_PATTERNS.get(value);
    if (isJsonPointer(value)) pointers.push(value);
    else if (value.startsWith('pattern:')) steps.push(createPatternStep(value.slice('pattern:'.length)));
    else if (kindPattern !== undefined) steps.push((text) => text.replace(kindPattern, `<${value}>`));
    else
      throw new InvalidNormalising(
        `${JSON.stringify(value)} cannot be normalised. Write date, uuid, a JSON pointer such as /metadata/id (~0 for ~, ~1 for /), or pattern:REGEX.`,
      );
  }
  const normalise = (text: string) => steps.reduce((before, step) => step(before), text);
  return { pointers, normalise: steps.length === 0 ? null : normalise };
}

/** Splits values at commas. A pattern may contain commas, so it comes last. */
function splitList(text: string): readonly string[] {
  const at = text.search(/(?:^|,)\s*pattern:/);
  const names = (at === -1 ? text : text.slice(0, at)).split(',').map((name) => name.trim());
  if (at === -1) return names;
  const pattern = text.slice(at).replace(/^,?\s*/, '');
  return at === 0 ? [pattern] : [...names, pattern];
}

function createPatternStep(source: string): Normalise {
  if (source === '') throw new InvalidNormalising('pattern: lacks its expression. Write pattern:REGEX.');
  let pattern: LinearPattern;
  try {
    pattern = new LinearPattern(source);
  } catch (error) {
    throw error instanceof InvalidRedactionRule ? new InvalidNormalising(error.message) : error;
  }
  return (text) => pattern.replaceIn(text, new WorkBudget(), () => '<pattern>').text;
}

export function normaliseTexts(value: Json, normalise: Normalise): Json {
  if (typeof value === 'string') return normalise(value);
  if (!isJsonBranch(value)) return value;
  if (Array.isArray(value)) return value.map((inner: Json) => normaliseTexts(inner, normalise));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, normaliseTexts(inner, normalise)]),
  );
}
