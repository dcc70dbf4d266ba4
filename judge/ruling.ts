import type { TraceHeader } from '../exchange/trace.ts';
import type { Infeasible, Rule } from './catalogue.ts';
import type { Docket } from './docket.ts';
import { matches, matchesAny } from './glob.ts';
import type { History } from './history.ts';
import type { OperationTally } from './operations.ts';
import type { Judgement, RequirementVerdict, UntestedReason, Verdict } from './verdict.ts';

interface Context {
  readonly header: TraceHeader;
  readonly history: History;
  readonly tally: OperationTally;
  readonly infeasible: readonly Infeasible[];
}

interface Said {
  readonly verdict: Verdict;
  readonly reason: string | null;
}

/** Turns what was seen of each rule into its verdict, and counts what blocked how many. */
export class Ruling {
  readonly #context: Context;
  readonly #claimed: ReadonlySet<string>;
  /** By message: the same cause shows in many exchanges. */
  readonly #blockers = new Map<string, { exchange: string; requirements: number }>();

  constructor(context: Context) {
    this.#context = context;
    this.#claimed = new Set(context.header.claims.families);
  }

  of(docket: Docket): RequirementVerdict {
    const { rule } = docket;
    const said = this.#leftOut(rule) ?? this.#notOffered(rule) ?? this.#seen(docket) ?? this.#unseen(docket);
    const judged = said.verdict !== 'untested' && said.verdict !== 'error';
    return {
      id: rule.id,
      kind: rule.kind,
      family: rule.families[0] ?? '',
      operations: rule.operations,
      level: rule.level,
      basis: rule.basis,
      spec: rule.spec,
      says: rule.says,
      verdict: said.verdict,
      reason: said.reason,
      observations: judged ? docket.observations : 0,
      baseline: null,
      findings: judged ? docket.findings : [],
      findingsTotal: judged ? docket.findingsTotal : 0,
    };
  }

  /** Call after every `of`: root causes with how many requirements each blocked, the greatest first. */
  blockers(): Judgement['blockers'] {
    return [...this.#blockers]
      .map(([message, { exchange, requirements }]) => ({ exchange, message, requirements }))
      .sort((a, b) => b.requirements - a.requirements || (a.message < b.message ? -1 : 1));
  }

  #leftOut(rule: Rule): Said | null {
    const { only, skip } = this.#context.header.filters;
    if (!rule.families.some((family) => this.#claimed.has(family))) return untested('not-claimed');
    if (only.length > 0 && !matchesAny(only, rule.id)) return untested('filtered');
    return matchesAny(skip, rule.id) ? untested('filtered') : null;
  }

  /** What a target does not offer is told once, by its operation. */
  #notOffered({ operations }: Rule): Said | null {
    const { tally } = this.#context;
    const nowhere = operations.length > 0 && operations.every((id) => tally.notImplemented(id));
    return nowhere ? untested('not-implemented') : null;
  }

  #seen(docket: Docket): Said | null {
    if (docket.fault !== null) return { verdict: 'error', reason: docket.fault };
    if (docket.findingsTotal > 0) {
      const absent = this.#absentOnly(docket);
      if (absent !== null) return absent;
      return { verdict: docket.rule.level === 'MUST' ? 'fail' : 'warn', reason: null };
    }
    if (docket.excuse !== null) {
      const { id, reason } = docket.excuse;
      return { verdict: 'excused', reason: `${id}: ${reason}` };
    }
    return docket.observations > 0 ? { verdict: 'pass', reason: null } : null;
  }

  /** That an operation is not offered is told of that operation, and is no fault of what relates others to it. */
  #absentOnly({ accused }: Docket): Said | null {
    const { tally } = this.#context;
    const absent = [...accused].flatMap((id) => (id !== null && tally.notImplemented(id) ? [id] : []));
    if (absent.length < accused.size) return null;
    return untested('not-implemented', absent.join(', '));
  }

  #unseen({ rule, inconclusive, blocked }: Docket): Said {
    const { history, infeasible } = this.#context;
    const absence = history.absence(rule.id);
    if (absence?.why === 'crashed') return { verdict: 'error', reason: absence.reason };
    if (inconclusive !== null) return { verdict: 'inconclusive', reason: inconclusive };
    if (blocked !== null) return this.#blocked(blocked.exchange, blocked.message);
    if (absence?.why === 'blocked') return this.#blocked(absence.exchange, absence.message);
    if (absence?.why === 'deadline') return { verdict: 'inconclusive', reason: absence.reason };
    if (absence !== null) return { verdict: 'untested', reason: absence.reason };
    const known = knownOf(infeasible, rule.id);
    return known === undefined ? this.#nothingArrived(rule) : untested('not-feasible', known.reason);
  }

  #nothingArrived({ operations }: Rule): Said {
    const miss = this.#context.tally.missed(operations);
    if (miss === null) return untested('no-evidence');
    return { verdict: 'inconclusive', reason: `${miss.fault}: ${miss.detail} (${miss.exchange})` };
  }

  #blocked(exchange: string, message: string): Said {
    const known = this.#blockers.get(message) ?? { exchange, requirements: 0 };
    this.#blockers.set(message, { ...known, requirements: known.requirements + 1 });
    return untested('blocked', `${exchange} ${message}`);
  }
}

const lookups = new WeakMap<readonly Infeasible[], Map<string, Infeasible | undefined>>();

/** Why no scenario can show evidence for a rule. Many traces are judged by the same list. */
function knownOf(infeasible: readonly Infeasible[], rule: string): Infeasible | undefined {
  const lookup = lookups.get(infeasible) ?? new Map<string, Infeasible | undefined>();
  lookups.set(infeasible, lookup);
  if (!lookup.has(rule))
    lookup.set(
      rule,
      infeasible.find(({ id }) => matches(id, rule)),
    );
  return lookup.get(rule);
}

function untested(reason: UntestedReason, detail = ''): Said {
  return { verdict: 'untested', reason: detail === '' ? reason : `${reason}: ${detail}` };
}
