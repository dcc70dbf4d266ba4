import type { Obstacle } from '../../exchange/note.ts';
import type { Erratum } from '../dialects/erratum.ts';
import type { Requirement } from '../requirements/catalogue.ts';
import type { Violation } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import type { Cause } from './cause.ts';
import { findingSignature } from './signature.ts';
import { truncateValue } from './truncate.ts';
import type { Finding } from './verdict.ts';

/** Findings of one requirement that are kept; all are counted. */
const KEPT = 20;

/** Exchanges at fault whose ids are kept. */
const AT_FAULT = 1000;

/** Results for one requirement so far. */
export class RequirementState {
  readonly requirement: Requirement;
  observations = 0;
  findingsTotal = 0;
  /** The first inconclusive result. */
  inconclusive: Cause | null = null;
  /** Operations whose responses violate the requirement; null stands for an unknown call. */
  readonly operationsAtFault = new Set<string | null>();
  blocked: { readonly exchange: string; readonly obstacle: Obstacle } | null = null;
  fault: string | null = null;
  readonly #exchangesAtFault = new Set<string>();
  /** The first erratum that excused a disagreement. */
  excuse: Erratum | null = null;
  readonly #findings: Placed<Finding>[] = [];

  constructor(requirement: Requirement) {
    this.requirement = requirement;
  }

  /** Ids of the exchanges that show findings; null where they are more than 1,000. */
  get exchangesAtFault(): ReadonlySet<string> | null {
    return this.#exchangesAtFault.size > AT_FAULT ? null : this.#exchangesAtFault;
  }

  /** By exchange, then place. */
  get findings(): readonly Finding[] {
    const plain = (one: Placed<Finding>) => ({ ...one, isAside: false });
    return this.#findings
      .map(plain)
      .toSorted(inOrder)
      .map(({ finding }) => finding);
  }

  /** `call` is the one that shows it; null when the trace does not know it. */
  report(violation: Violation, exchange: string, call: Call | null): void {
    if (violation.inconclusive !== undefined) {
      this.inconclusive ??= inconclusive(violation.inconclusive, exchange, violation.actual);
      return;
    }
    this.findingsTotal += 1;
    this.operationsAtFault.add(call?.operation.id ?? null);
    if (this.#exchangesAtFault.size <= AT_FAULT) this.#exchangesAtFault.add(exchange);
    const { at, expected, actual, causeId } = violation;
    const order = Number(exchange.slice(1));
    const isAside = this.requirement.kind !== 'rejected' && call?.exchange.probe?.side === 'violation';
    const last = this.#findings.at(-1);
    const isLate = last !== undefined && inOrder(last, { order, isAside, finding: { at, expected } }) < 0;
    if (this.#findings.length === KEPT && isLate) return;
    const finding: Finding = {
      at,
      expected,
      ...(actual === undefined ? {} : { actual: truncateValue(actual) }),
      exchange,
      signature: findingSignature(causeId ?? this.requirement.id, call, at, actual),
      ...(causeId === undefined ? {} : { causeId }),
    };
    const entry = { order, isAside, finding };
    const place = this.#findings.findIndex((other) => inOrder(entry, other) < 0);
    this.#findings.splice(place === -1 ? this.#findings.length : place, 0, entry);
    if (this.#findings.length > KEPT) this.#findings.pop();
  }
}

function inconclusive(
  kind: NonNullable<Violation['inconclusive']>,
  exchange: string,
  actual: Violation['actual'],
): Cause {
  if (kind === 'capacity') return { kind, exchange, arrival: null };
  const status = typeof actual === 'number' ? actual : null;
  const answered = { exchange, arrival: { what: 'answered', status } } as const;
  return kind === 'protocol' || kind === 'authentication' ? { kind, ...answered } : { kind, exchange };
}

interface Placed<F extends Pick<Finding, 'at' | 'expected'>> {
  readonly order: number;
  /** The answer to a request that is wrong on purpose: a plain one proves the same better. */
  readonly isAside: boolean;
  readonly finding: F;
}

type Place = Placed<Pick<Finding, 'at' | 'expected'>>;

function inOrder(a: Place, b: Place): number {
  if (a.isAside !== b.isAside) return a.isAside ? 1 : -1;
  if (a.order !== b.order) return a.order - b.order;
  if (a.finding.at !== b.finding.at) return a.finding.at < b.finding.at ? -1 : 1;
  if (a.finding.expected === b.finding.expected) return 0;
  return a.finding.expected < b.finding.expected ? -1 : 1;
}
