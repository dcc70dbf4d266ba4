import { getOrMake } from '../../schemas/maps.ts';
import type { RequestViolation, VocabularySide } from '../requirements/evaluator.ts';
import type { Call } from '../trace/call.ts';
import { FirstTexts } from '../trace/first-facts.ts';
import { numberOf } from '../trace/timed.ts';
import { quoteBeginning } from '../verdict/findings.ts';
import type { ChoiceVerdict } from '../verdict/verdict.ts';
import type { Vocabulary } from './dialect.ts';

const MAX_VALUES = 20;
const MAX_VALUE_LENGTH = 40;
const CLIENT_PREFIX = 'client.';

interface BeyondSpecification {
  readonly violations: readonly RequestViolation[];
  readonly unlisted: readonly string[];
}

export class OpenVocabulary {
  readonly #open: readonly Vocabulary[];
  readonly #recorded = new Map<string, { readonly spec: string; readonly values: FirstTexts }>();

  constructor(open: readonly Vocabulary[]) {
    this.#open = open;
  }

  /** Records unlisted fields and values that the dialect permits; returns the violations that it does not permit. */
  recordPermitted(
    call: Call,
    { violations, unlisted }: BeyondSpecification,
    side: VocabularySide,
  ): readonly RequestViolation[] {
    const omittedPlaces = call.mode?.omits ?? [];
    const permitted = violations.filter(
      (violation) =>
        (violation.actual === undefined && omittedPlaces.some((place) => place.test(violation.at))) ||
        this.#permits(violation, violations),
    );
    // A missing field has no value to record.
    for (const { at, actual } of permitted)
      if (actual !== undefined) {
        const isShown = ['string', 'number', 'boolean'].includes(typeof actual);
        const suffix = isShown ? `: ${quoteBeginning(String(actual), MAX_VALUE_LENGTH)}` : '';
        this.#record(side, call, `${nameOf(at)}${suffix}`);
      }
    for (const at of unlisted) this.#record(side, call, nameOf(at));
    return violations.filter((violation) => !permitted.includes(violation));
  }

  /** Whether the dialect permits unlisted fields; `recordPermitted` then needs their places. */
  get hasOpenFields(): boolean {
    return this.#open.includes('fields');
  }

  verdicts(): ChoiceVerdict[] {
    return [...this.#recorded]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([operation, { spec, values }]) => ({
        id: `${operation}.open.vocabulary`,
        spec,
        says: operation.startsWith(CLIENT_PREFIX)
          ? 'Which fields and values beyond the specification the client sends.'
          : 'Which fields and values beyond the specification requests may have.',
        taken: values.withExchanges.map(([value]) => value),
        exchanges: values.withExchanges.map(([, exchange]) => exchange),
        consistent: true,
      }));
  }

  part() {
    return [...this.#recorded].map(([operation, { spec, values }]) => ({
      operation,
      spec,
      values: values.part(),
    }));
  }

  absorb(part: ReturnType<OpenVocabulary['part']>): void {
    for (const { operation, spec, values } of part) this.#valuesOf(operation, spec).absorb(values);
  }

  #permits({ id, at }: RequestViolation, all: readonly RequestViolation[]): boolean {
    const keyword = keywordOf(id);
    if ((keyword === 'enum' || keyword === 'const') && this.#open.includes(keyword)) return true;
    if (!this.#open.includes('shapes')) return false;
    return all.some((other) => {
      const isType = ['enum', 'const'].includes(keywordOf(other.id)) && other.at.endsWith('/type');
      return isType && at.startsWith(other.at.slice(0, -'type'.length));
    });
  }

  #record(side: VocabularySide, { operation: { id, spec }, exchange }: Call, text: string): void {
    const [owner, verb] = side === 'client' ? [`${CLIENT_PREFIX}${id}`, 'sends'] : [id, 'accepts'];
    this.#valuesOf(owner, spec).add(`${verb} \`${text}\``, numberOf(exchange.id));
  }

  #valuesOf(operation: string, spec: string): FirstTexts {
    return getOrMake(this.#recorded, operation, () => ({ spec, values: new FirstTexts(MAX_VALUES) })).values;
  }
}

function keywordOf(id: string): string {
  return /#(\w+)\.rejected$/.exec(id)?.[1] ?? '';
}

function nameOf(at: string): string {
  return at
    .replace(/^\//, '')
    .replaceAll(/\/\d+(?=\/|$)/g, '[]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}
