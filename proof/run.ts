import type { Exchange } from '../exchange/exchange.ts';
import { matchesGlob } from '../exchange/glob.ts';
import { judgeTrace } from '../explain/judge.ts';
import { ChoiceTracker } from '../judge/evidence/choices.ts';
import { SelectorDispatch } from '../judge/evidence/selector-dispatch.ts';
import {
  alternativeNamed,
  type Catalogue,
  type EquivalentMutant,
  type EquivalentMutantException,
} from '../judge/requirements/catalogue.ts';
import type { Choice, Evidence } from '../judge/requirements/requirement.ts';
import { isBroken } from '../judge/verdict/failure-count.ts';
import { operations } from '../schemas/index.ts';
import { generalEquivalentMutants } from './equivalent-mutants/general.ts';
import { feedTrace, MutantRunner } from './mutant-runner.ts';
import { type BaselineTrace, baselineTrace, type RecordedTrace } from './mutants/mutant.ts';
import { mutantsOf, mutationKindsOf } from './mutants/mutants.ts';
import type { MutationReport, UsedException } from './mutation-report.ts';
import { runEquivalentMutants } from './run-equivalent-mutants.ts';

/** Thrown if the trace has findings or errors: mutants of it would prove nothing. */
export class BaselineNotClean extends Error {
  override readonly name = 'BaselineNotClean';

  constructor(broken: readonly string[]) {
    super(
      `A proof needs a trace without findings; this one has findings or errors for ${broken.join(', ')}.`,
    );
  }
}

export interface MutationTestOptions {
  /** Selects the requirements to mutate. Default: all. Equivalent mutants are always applied. */
  readonly only?: (id: string) => boolean;
  /** The share of this process; `joinMutationReports` joins the shares. */
  readonly share?: { readonly index: number; readonly of: number };
  /** Equivalent mutants to apply besides the catalogue's. Default: those of `generalEquivalentMutants`. */
  readonly changes?: readonly EquivalentMutant[];
  readonly mutants?: typeof mutantsOf;
  /** Today as YYYY-MM-DD, for the expiry of exceptions. */
  readonly today?: string;
}

export function runMutationTest(
  catalogue: Catalogue,
  trace: RecordedTrace,
  options: MutationTestOptions = {},
): MutationReport {
  const { only = () => true, share = { index: 0, of: 1 } } = options;
  const today = options.today ?? new Date().toISOString().slice(0, 10);
  const verdicts = judgeTrace(catalogue, trace.header, trace.items).requirements;
  const broken = verdicts.filter((one) => isBroken(one) || one.verdict === 'error');
  if (broken.length > 0) throw new BaselineNotClean(broken.map(({ id }) => id));
  const proved = new Set(verdicts.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id));
  const isInShare = <T>(_: T, n: number): boolean => n % share.of === share.index;
  const selected = new Set([...proved].filter((id, n) => isInShare(id, n) && only(id)));
  const baseline = baselineTrace(trace, selected);
  const runner = new MutantRunner(trace.header);
  for (const set of catalogue.requirementSets) {
    for (const mutant of (options.mutants ?? mutantsOf)(set, baseline))
      if (selected.has(mutant.requirement)) runner.judge(set, mutant);
  }
  const unexpired = (catalogue.exceptions ?? []).filter(({ expires }) => expires === null || expires > today);
  const { survived, exceptions } = runner.conclude(selected, kindsIn(catalogue), unexpired);
  const general = options.changes ?? generalEquivalentMutants(trace.header.betaHeader);
  const changes = [...general, ...catalogue.equivalentMutants];
  const calls = new Map(
    baseline.calls(operations().map(({ id }) => id)).map((call) => [call.exchange, call]),
  );
  const equivalence = runEquivalentMutants({ catalogue, trace, proved, calls }, changes.filter(isInShare));
  return {
    mutants: runner.mutantCount,
    killed: Object.values(runner.requirements).reduce((sum, { killed }) => sum + killed, 0),
    survived: [...survived, ...undetectedChoiceExamples(catalogue.choices.filter(isInShare), baseline)],
    exceptions,
    // Requirements that were filtered out may still need their exceptions.
    stale:
      options.only === undefined
        ? unexpired.filter(isUnused(proved, exceptions)).map(({ id, kind }) => `${id} ${kind}`)
        : [],
    ...equivalence,
    requirements: runner.requirements,
    // In a clean trace every requirement that does not pass has a cause.
    unproved: verdicts.flatMap(({ id, cause }) => (cause === null ? [] : [{ requirement: id, cause }])),
  };
}

function isUnused(proved: ReadonlySet<string>, used: readonly UsedException[]) {
  return ({ id, kind }: EquivalentMutantException): boolean =>
    [...proved].some((requirement) => matchesGlob(id, requirement)) &&
    !used.some((one) => one.kind === kind && matchesGlob(id, one.requirement));
}

function kindsIn({ requirementSets }: Catalogue): (requirement: string) => readonly string[] {
  const owners = new Map(
    requirementSets.flatMap((set) => set.requirements.map(({ id }) => [id, set] as const)),
  );
  return (requirement) => {
    const owner = owners.get(requirement);
    return owner === undefined ? [] : mutationKindsOf(owner, requirement);
  };
}

function undetectedChoiceExamples(choices: readonly Choice<Evidence>[], baseline: BaselineTrace) {
  return choices.flatMap((choice) => {
    const trace = baseline.calls(choice.selector.operations).map(({ exchange }) => exchange);
    const listTaken = (exchanges: readonly Exchange[]): readonly string[] => {
      const tracker = new ChoiceTracker([choice]);
      const dispatch = new SelectorDispatch(tracker.listeners());
      feedTrace(dispatch, exchanges, baseline.header.betaHeader);
      return (tracker.verdicts()[0]?.taken ?? []).map((name) => alternativeNamed(choice, name));
    };
    if (choice.examples === undefined || listTaken(trace).length === 0) return [];
    return Object.entries(choice.examples).flatMap(([alternative, edit]) => {
      const changed = edit(trace);
      const isNoticed = changed !== null && listTaken(changed).includes(alternative);
      const why = changed === null ? 'it applies to nothing in the trace' : 'the choice does not notice';
      return isNoticed ? [] : [{ requirement: choice.id, mutant: `example of ${alternative}`, why }];
    });
  });
}
