import type { Json } from '../../exchange/http/body.ts';
import type { PathMatch } from '../../schemas/index.ts';
import { addCount, getOrMake } from '../../schemas/maps.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call, CallDialect, Erratum, UnknownMode } from '../trace/call.ts';
import type { ErratumVerdict, RequirementVerdict } from '../verdict/verdict.ts';
import type { Dialect } from './dialect.ts';
import { OpenVocabulary } from './open-vocabulary.ts';

/**
 * Counts the uses of errata, so that reports show how lenient a pass is: `match`, `modeOf`, `refusalOf` and `find`
 * count what they return.
 */
export class AppliedErrata implements CallDialect {
  /** Null for the specification without errata. */
  readonly dialect: Dialect | null;
  readonly vocabulary: OpenVocabulary;
  readonly #uses = new Map<string, { calls: number; readonly excused: Map<string, number> }>();
  readonly #causes = new Map<string, Erratum>();

  constructor(dialect: Dialect | null) {
    this.dialect = dialect;
    this.vocabulary = new OpenVocabulary(dialect?.open ?? []);
  }

  get countingDialect(): CallDialect | null {
    return this.dialect === null ? null : this;
  }

  excuseOfCause(causeId: string): Erratum | null {
    return this.#causes.get(causeId) ?? null;
  }

  match(method: string, path: string): PathMatch | null {
    return this.#countUse(this.dialect?.match(method, path));
  }

  modeOf(operation: string, fields: Json): UnknownMode | null {
    return this.#countUse(this.dialect?.modeOf(operation, fields));
  }

  refusalOf(call: Call): Erratum | null {
    const erratum = this.dialect?.refusalOf(call) ?? null;
    return this.#countUse(erratum && { erratum })?.erratum ?? null;
  }

  /** Null for an inconclusive result, which needs no excuse. */
  find(requirement: string, violation: Violation, call: Call | null): Erratum | null {
    if (violation.inconclusive !== undefined) return null;
    const refusal = requirement.endsWith('.accepted') ? (call?.permittedRefusal ?? null) : null;
    const erratum = refusal ?? this.dialect?.excuse(requirement, violation, call) ?? null;
    if (erratum === null) return null;
    if (violation.causeId !== undefined) this.#causes.set(violation.causeId, erratum);
    addCount(this.#useOf(erratum).excused, requirement, 1);
    return erratum;
  }

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

  part() {
    const used = [...this.#uses].map(([id, { calls, excused }]) => ({ id, calls, excused: [...excused] }));
    return { used, vocabulary: this.vocabulary.part() };
  }

  absorb({ used, vocabulary }: ReturnType<AppliedErrata['part']>): void {
    this.vocabulary.absorb(vocabulary);
    for (const { id, calls, excused } of used) {
      const use = this.#useOf({ id });
      use.calls += calls;
      for (const [requirement, times] of excused) addCount(use.excused, requirement, times);
    }
  }

  #countUse<F extends { readonly erratum: Erratum }>(use: F | null = null): F | null {
    if (use !== null) this.#useOf(use.erratum).calls += 1;
    return use;
  }

  #useOf({ id }: Pick<Erratum, 'id'>) {
    return getOrMake(this.#uses, id, () => ({ calls: 0, excused: new Map() }));
  }
}
