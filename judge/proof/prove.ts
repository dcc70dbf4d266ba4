import { operations } from '../../schemas/index.ts';
import type { Catalogue, ProofException } from '../catalogue.ts';
import { judge } from '../court.ts';
import { matches } from '../glob.ts';
import type { RequirementVerdict } from '../verdict.ts';
import { generalChanges } from './benign/changes.ts';
import { unseenExamples } from './choice-examples.ts';
import { greenTrace, type Trace } from './green.ts';
import { Hunt } from './hunt.ts';
import type { Exception, Proof } from './proof.ts';
import { tryChanges } from './trial.ts';

/** The trace is not green, so breaking it would prove nothing. */
export class NotGreen extends Error {
  constructor(broken: readonly string[]) {
    super(`The proof needs a trace without findings; here are findings or errors of ${broken.join(', ')}.`);
    this.name = 'NotGreen';
  }
}

/** A part of a proof. */
export interface Portion {
  /** Whose mutants are made; all unless given. Benign changes are tried on all. */
  readonly only?: (id: string) => boolean;
  /** One of several equal shares, that several processes make and `joinProofs` joins. */
  readonly share?: { readonly index: number; readonly of: number };
  /** As YYYY-MM-DD: exceptions that expired before do not hold. */
  readonly today?: string;
}

/**
 * Breaks a green trace in every way that its requirements can be broken, and changes it in every way that they have
 * to bear. Throws NotGreen where the trace has findings.
 */
export function prove(catalogue: Catalogue, trace: Trace, portion: Portion = {}): Proof {
  const { only = () => true, share = { index: 0, of: 1 } } = portion;
  const today = portion.today ?? new Date().toISOString().slice(0, 10);
  const before = greenVerdicts(catalogue, trace);
  const shown = new Set(before.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id));
  const hunted = new Set([...shown].filter((id, n) => n % share.of === share.index && only(id)));
  const green = greenTrace(trace, hunted);
  const hunt = new Hunt(trace.header);
  for (const section of catalogue.sections) {
    for (const mutant of section.mutants(green)) if (hunted.has(mutant.rule)) hunt.take(section, mutant);
  }
  const known = (catalogue.proofExceptions ?? []).filter(
    ({ expires }) => expires === null || expires > today,
  );
  const { survived, exceptions } = hunt.outcome(hunted, kindsIn(catalogue), known);
  const own = <T>(_: T, n: number): boolean => n % share.of === share.index;
  const changes = [...generalChanges(trace.header.betaHeader), ...catalogue.benign];
  const understood = new Map(
    green.calls(operations().map(({ id }) => id)).map((call) => [call.exchange, call]),
  );
  const trial = tryChanges({ catalogue, trace, shown, understood }, changes.filter(own));
  return {
    mutants: hunt.mutants,
    killed: Object.values(hunt.requirements).reduce((sum, { killed }) => sum + killed, 0),
    survived: [...survived, ...unseenExamples(catalogue.choices.filter(own), green)],
    exceptions,
    // What is not looked at may need them.
    stale: portion.only === undefined ? known.filter(isIdle(shown, exceptions)).map(nameOf) : [],
    ...trial,
    requirements: hunt.requirements,
    // A green trace: what does not pass has a cause.
    unproved: before.flatMap(({ id, cause }) => (cause === null ? [] : [{ requirement: id, cause }])),
  };
}

function greenVerdicts(catalogue: Catalogue, { header, items }: Trace): readonly RequirementVerdict[] {
  const { requirements } = judge(catalogue, header, items);
  const broken = requirements.filter(
    ({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'error',
  );
  if (broken.length > 0) throw new NotGreen(broken.map(({ id }) => id));
  return requirements;
}

/** Exceptions for what the trace shows that nothing in it needs. */
function isIdle(shown: ReadonlySet<string>, used: readonly Exception[]) {
  return ({ id, kind }: ProofException): boolean =>
    [...shown].some((rule) => matches(id, rule)) &&
    !used.some((one) => one.kind === kind && matches(id, one.requirement));
}

function nameOf({ id, kind }: ProofException): string {
  return `${id} ${kind}`;
}

/** The kinds that apply to each rule, whichever section it is of. */
function kindsIn({ sections }: Catalogue): (rule: string) => readonly string[] {
  const owners = new Map(
    sections.flatMap((section) => section.rules.map(({ id }) => [id, section] as const)),
  );
  return (rule) => owners.get(rule)?.kinds(rule) ?? [];
}
