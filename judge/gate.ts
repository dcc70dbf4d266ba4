import type { Gate, Judgement, RequirementVerdict } from './verdict.ts';

export interface GateOptions {
  /** What turns the run red: broken MUSTs, broken SHOULDs too, or nothing. */
  readonly failOn: 'must' | 'should' | 'never';
  /** Lets claimed MUSTs by that could not be decided. */
  readonly allowInconclusive: boolean;
  /** Traffic that is no run of ours need not call every operation of the families in it. Default `run`. */
  readonly traffic?: 'run' | 'any';
}

const STOPPED: Readonly<Record<Exclude<Judgement['stopReason'], 'completed'>, string>> = {
  interrupted: 'the run was interrupted',
  budget: 'the run stopped at its budget',
  deadline: 'the run stopped at its deadline',
  'target-unreachable': 'the target could not be reached',
  'target-died': 'the target stopped answering during the run',
};

/** What a run comes to: 1 it does not conform, 2 nothing certain can be said, 0 it conforms. A failure beats doubt; both are told. */
export function gate(judgement: Judgement, options: GateOptions): Gate {
  const { failOn } = options;
  const broken = [...failures(judgement, failOn), ...missing(judgement)];
  const unsure = doubts(judgement, options);
  const reasons = [...broken, ...unsure];
  if (broken.length > 0 && failOn !== 'never') return { verdict: 'does-not-conform', exitCode: 1, reasons };
  if (unsure.length > 0) {
    return { verdict: broken.length > 0 ? 'does-not-conform' : 'cannot-tell', exitCode: 2, reasons };
  }
  if (broken.length > 0) return { verdict: 'does-not-conform', exitCode: 0, reasons };
  const known = judgement.requirements.filter(({ baseline }) => baseline !== null).length;
  return {
    verdict: 'conforms',
    exitCode: 0,
    reasons: known === 0 ? [] : [`with ${plural(known, 'known failure')}`],
  };
}

function failures({ requirements }: Judgement, failOn: GateOptions['failOn']): string[] {
  const counted = requirements.filter(({ baseline }) => baseline === null);
  const fails = counted.filter(({ verdict }) => verdict === 'fail').length;
  const warns = counted.filter(({ verdict }) => verdict === 'warn').length;
  return [
    ...(fails === 0 ? [] : [`${plural(fails, 'MUST')} ${fails === 1 ? 'is' : 'are'} broken`]),
    ...(warns === 0 || failOn !== 'should'
      ? []
      : [`${plural(warns, 'SHOULD')} ${warns === 1 ? 'is' : 'are'} broken`]),
  ];
}

function missing({ operations }: Judgement): string[] {
  const absent = operations.filter(({ claimed, notImplemented }) => claimed && notImplemented);
  return absent.length === 0 ? [] : [`claimed, but not implemented: ${names(absent)}`];
}

function doubts(judgement: Judgement, { allowInconclusive, traffic = 'run' }: GateOptions): string[] {
  const { requirements, stopReason } = judgement;
  const errors = requirements.filter(({ verdict }) => verdict === 'error').length;
  const open = requirements.filter(
    ({ verdict, level }) => verdict === 'inconclusive' && level === 'MUST',
  ).length;
  const idle = traffic === 'any' || neverReached(judgement) ? [] : neverExercised(judgement);
  return [
    ...(stopReason === 'completed' ? [] : [stopped(stopReason, judgement.stopMessage ?? null)]),
    ...(errors === 0 ? [] : [`${plural(errors, 'requirement')} met a defect of assay itself`]),
    ...(requirements.some(isJudged) ? [] : ['nothing was judged']),
    ...(idle.length === 0 ? [] : [`claimed, but never exercised: ${names(idle)}`]),
    ...(open === 0 || allowInconclusive ? [] : [`${plural(open, 'MUST')} could not be decided`]),
  ];
}

/** Where nobody was met, to list all that was not answered tells nothing. */
function neverReached({ stopReason, operations }: Judgement): boolean {
  return stopReason === 'target-unreachable' && operations.every(({ exercised }) => exercised === 0);
}

/** Of a target that cannot be used, what is wrong with it, too. */
function stopped(reason: keyof typeof STOPPED, message: string | null): string {
  const isOfTarget = reason === 'target-unreachable' || reason === 'target-died';
  return isOfTarget && message !== null ? `${STOPPED[reason]}: ${message}` : STOPPED[reason];
}

/** An operation of whose requirements some are left out need not be exercised: what would do so may be left out, too. */
function neverExercised({ operations, requirements }: Judgement): Judgement['operations'] {
  const narrowed = new Set(
    requirements
      .filter(({ reason }) => reason?.startsWith('filtered') === true)
      .flatMap((one) => one.operations),
  );
  const used = new Set(operations.filter((row) => row.claimed && row.exercised > 0).map(({ id }) => id));
  return operations.filter(
    ({ id, claimed, notImplemented }) => claimed && !used.has(id) && !notImplemented && !narrowed.has(id),
  );
}

function isJudged({ verdict }: RequirementVerdict): boolean {
  return verdict === 'pass' || verdict === 'fail' || verdict === 'warn';
}

function names(operations: Judgement['operations']): string {
  return [...new Set(operations.map(({ id }) => id))].join(', ');
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
