// Counts how often each erratum of the dialect in force was needed, so that a report shows the leniency behind
// a pass.

import type { Json } from '../../exchange/http/body.ts';
import type { PathMatch } from '../../schemas/index.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call, PathMatcher } from '../trace/call.ts';
import type { ErratumVerdict, RequirementVerdict } from '../verdict/verdict.ts';
import type { Dialect } from './dialect.ts';
import type { Erratum, UnknownMode } from './erratum.ts';
import { OpenVocabulary } from './open-vocabulary.ts';

/** Use of one erratum. */
interface Tally {
  /** Calls of operations under another path, and in modes that the specification does not know. */
  calls: number;
  /** Violations that were excused, by requirement. */
  readonly excused: Map<string, number>;
}

/** The dialect in force, or null, and the use of its errata so far. */
export class AppliedErrata implements PathMatcher {
  readonly dialect: Dialect | null;
  /** Values beyond the specification that the target accepts, where the dialect permits them. */
  readonly vocabulary: OpenVocabulary;
  readonly #tallies = new Map<string, Tally>();
  /** Erratum by id of the cause that it excused. */
  readonly #causes = new Map<string, Erratum>();

  constructor(dialect: Dialect | null) {
    this.dialect = dialect;
    this.vocabulary = new OpenVocabulary(dialect?.open ?? []);
  }

  /** The erratum that excused a cause of refusals; null if none did. */
  excuseOfCause(causeId: string): Erratum | null {
    return this.#causes.get(causeId) ?? null;
  }

  /** Counts the call as one that needed the erratum. */
  match(method: string, path: string): PathMatch | null {
    const found = this.dialect?.match(method, path) ?? null;
    if (found !== null) this.#tally(found.erratum).calls += 1;
    return found;
  }

  /** Counts the call as one that needed the erratum. */
  modeOf(operation: string, fields: Json): UnknownMode | null {
    const mode = this.dialect?.modeOf(operation, fields) ?? null;
    if (mode !== null) this.#tally(mode.erratum).calls += 1;
    return mode;
  }

  /** Counts the call as one that needed the erratum. */
  refusalOf(call: Call): Erratum | null {
    const erratum = this.dialect?.refusalOf(call) ?? null;
    if (erratum !== null) this.#tally(erratum).calls += 1;
    return erratum;
  }

  /** The erratum that excuses a violation, which `call` shows, and counts it. Inconclusive results need no excuse. */
  find(requirement: string, violation: Violation, call: Call | null): Erratum | null {
    if (violation.inconclusive !== undefined) return null;
    const refusal = requirement.endsWith('.accepted') ? (call?.permittedRefusal ?? null) : null;
    const erratum = refusal ?? this.dialect?.excuse(requirement, violation, call) ?? null;
    if (erratum === null) return null;
    if (violation.causeId !== undefined) this.#causes.set(violation.causeId, erratum);
    const { excused } = this.#tally(erratum);
    excused.set(requirement, (excused.get(requirement) ?? 0) + 1);
    return erratum;
  }

  /** The errata that were needed for what was judged, in the order of the file. */
  verdicts(requirements: readonly RequirementVerdict[]): ErratumVerdict[] {
    const judged = new Set(requirements.filter(({ verdict }) => verdict !== 'untested').map(({ id }) => id));
    return (this.dialect?.errata ?? []).flatMap(({ id, reason }) => {
      const tally = this.#tallies.get(id);
      if (tally === undefined) return [];
      const excused = [...tally.excused].filter(([requirement]) => judged.has(requirement));
      const times = excused.reduce((sum, [, count]) => sum + count, tally.calls);
      if (times === 0) return [];
      return [{ id, reason, times, requirements: excused.map(([requirement]) => requirement).sort() }];
    });
  }

  #tally({ id }: Erratum): Tally {
    let tally = this.#tallies.get(id);
    if (tally === undefined) {
      tally = { calls: 0, excused: new Map() };
      this.#tallies.set(id, tally);
    }
    return tally;
  }
}
