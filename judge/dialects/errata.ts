import type { Json } from '../../exchange/http/body.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import type { PathMatch } from '../../schemas/index.ts';
import type { RequestViolation, VocabularySide } from '../requirements/catalogue.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call, Erratum, PathMatcher, UnknownMode } from '../trace/call.ts';
import { addCount, FirstTexts, numberOf } from '../trace/timed.ts';
import type { ChoiceVerdict, ErratumVerdict, RequirementVerdict } from '../verdict/verdict.ts';
import type { Dialect, Vocabulary } from './dialect.ts';

interface ErratumUse {
  calls: number;
  readonly excused: Map<string, number>;
}

/** The active dialect, or null. Counts the uses of errata: a report shows the leniency behind a pass. */
export class AppliedErrata implements PathMatcher {
  /** Null for the specification without errata. */
  readonly dialect: Dialect | null;
  /** Unlisted values that the target accepts and the dialect permits. */
  readonly vocabulary: OpenVocabulary;
  readonly #uses = new Map<string, ErratumUse>();
  readonly #causes = new Map<string, Erratum>();

  constructor(dialect: Dialect | null) {
    this.dialect = dialect;
    this.vocabulary = new OpenVocabulary(dialect?.open ?? []);
  }

  /** Finds and counts operations under the paths of the dialect; null without a dialect. */
  get aliases(): PathMatcher | null {
    return this.dialect === null ? null : this;
  }

  /** The erratum that excused a cause of refusals, or null. */
  excuseOfCause(causeId: string): Erratum | null {
    return this.#causes.get(causeId) ?? null;
  }

  /** Finds an operation under a path of the dialect, and counts the use; null if there is none. */
  match(method: string, path: string): PathMatch | null {
    return this.#counted(this.dialect?.match(method, path));
  }

  /** Finds the unknown mode that a request asks for, and counts the use; null if there is none. */
  modeOf(operation: string, fields: Json): UnknownMode | null {
    return this.#counted(this.dialect?.modeOf(operation, fields));
  }

  /** Finds the erratum that permits the refusal of this valid request, and counts the use; null if there is none. */
  refusalOf(call: Call): Erratum | null {
    const erratum = this.dialect?.refusalOf(call) ?? null;
    return this.#counted(erratum && { erratum })?.erratum ?? null;
  }

  /** Finds and counts the erratum that excuses a violation shown by `call`. Inconclusive results need no excuse. */
  find(requirement: string, violation: Violation, call: Call | null): Erratum | null {
    if (violation.inconclusive !== undefined) return null;
    const refusal = requirement.endsWith('.accepted') ? (call?.permittedRefusal ?? null) : null;
    const erratum = refusal ?? this.dialect?.excuse(requirement, violation, call) ?? null;
    if (erratum === null) return null;
    if (violation.causeId !== undefined) this.#causes.set(violation.causeId, erratum);
    addCount(this.#useOf(erratum).excused, requirement, 1);
    return erratum;
  }

  /** Errata that were applied, in the order of the file. */
  verdicts(requirements: readonly RequirementVerdict[]): ErratumVerdict[] {
    const judged = new Set(requirements.filter(({ verdict }) => verdict !== 'untested').map(({ id }) => id));
    return (this.dialect?.errata ?? []).flatMap(({ id, reason }) => {
      const use = this.#uses.get(id);
      if (use === undefined) return [];
      const excused = [...use.excused].filter(([requirement]) => judged.has(requirement));
      const times = excused.reduce((sum, [, count]) => sum + count, use.calls);
      if (times === 0) return [];
      return [{ id, reason, times, requirements: excused.map(([requirement]) => requirement).sort() }];
    });
  }

  /** Returns the uses; omits errata that were never applied. */
  part() {
    const used = [...this.#uses].map(([id, { calls, excused }]) => ({ id, calls, excused: [...excused] }));
    return { used, vocabulary: this.vocabulary.part() };
  }

  /** Adds the uses of another part of the traffic. */
  absorb({ used, vocabulary }: ReturnType<AppliedErrata['part']>): void {
    this.vocabulary.absorb(vocabulary);
    for (const { id, calls, excused } of used) {
      const use = this.#useOf({ id });
      use.calls += calls;
      for (const [requirement, times] of excused) addCount(use.excused, requirement, times);
    }
  }

  #counted<F extends { readonly erratum: Erratum }>(found: F | null = null): F | null {
    if (found !== null) this.#useOf(found.erratum).calls += 1;
    return found;
  }

  #useOf({ id }: Pick<Erratum, 'id'>): ErratumUse {
    return getOrMake(this.#uses, id, () => ({ calls: 0, excused: new Map() }));
  }
}

// Unlisted values in accepted requests, and in those of a client. If the dialect permits them, they are choices,
// not violations.

/** Maximum number of values kept per operation. */
const KEPT = 20;
const OF_CLIENT = 'client.';
const SHOWN = 40;

interface BeyondSpecification {
  /** Violations of request constraints, whether or not the dialect permits them. */
  readonly violations: readonly RequestViolation[];
  /** Places of fields that the specification does not list. */
  readonly unlisted: readonly string[];
}

class OpenVocabulary {
  readonly #open: readonly Vocabulary[];
  readonly #taken = new Map<string, { readonly spec: string; readonly values: FirstTexts }>();

  constructor(open: readonly Vocabulary[]) {
    this.#open = open;
  }

  /** Records the unlisted values of a request and returns the violations that the dialect does not permit. */
  remaining(
    call: Call,
    { violations, unlisted }: BeyondSpecification,
    side: VocabularySide,
  ): readonly RequestViolation[] {
    const omitted = call.mode?.omits ?? [];
    const permitted = violations.filter(
      (one) =>
        (one.actual === undefined && omitted.some((place) => place.test(one.at))) ||
        this.#permits(one, violations),
    );
    // An absent field has no value to record; the one sent instead is unlisted.
    for (const { at, actual } of permitted)
      if (actual !== undefined) {
        const isShown = ['string', 'number', 'boolean'].includes(typeof actual);
        this.#note(side, call, `${nameOf(at)}${isShown ? `: ${String(actual).slice(0, SHOWN)}` : ''}`);
      }
    for (const at of unlisted) this.#note(side, call, nameOf(at));
    return violations.filter((one) => !permitted.includes(one));
  }

  /** Whether the dialect permits unlisted fields; `remaining` then needs their places. */
  get wantsFields(): boolean {
    return this.#open.includes('fields');
  }

  /** One choice for each operation that accepted any, by id. */
  verdicts(): ChoiceVerdict[] {
    return [...this.#taken]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([operation, { spec, values }]) => ({
        id: `${operation}.open.vocabulary`,
        spec,
        says: operation.startsWith(OF_CLIENT)
          ? 'Which fields and values beyond the specification the client sends.'
          : 'Which fields and values beyond the specification requests may have.',
        taken: values.shown.map(([value]) => value),
        exchanges: values.shown.map(([, exchange]) => exchange),
        consistent: true,
      }));
  }

  /** Returns the values by operation id, which begins with `client.` for values that a client sent. */
  part() {
    return [...this.#taken].map(([operation, { spec, values }]) => ({
      operation,
      spec,
      values: values.part(),
    }));
  }

  /** Merges another part; keeps the 20 values of each operation that occurred first. */
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

  #note(side: VocabularySide, { operation: { id, spec }, exchange }: Call, text: string): void {
    const [owner, verb] = side === 'client' ? [`${OF_CLIENT}${id}`, 'sends'] : [id, 'accepts'];
    this.#valuesOf(owner, spec).add(`${verb} \`${text}\``, numberOf(exchange.id));
  }

  #valuesOf(operation: string, spec: string): FirstTexts {
    return getOrMake(this.#taken, operation, () => ({ spec, values: new FirstTexts(KEPT) })).values;
  }
}

function keywordOf(id: string): string {
  return /#(\w+)\.rejected$/.exec(id)?.[1] ?? '';
}

function nameOf(at: string): string {
  return at
    .slice(1)
    .replaceAll(/\/\d+(?=\/|$)/g, '[]')
    .replaceAll('/', '.');
}
