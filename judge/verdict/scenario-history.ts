import { isDeepStrictEqual } from 'node:util';
import type { DisturbedAnswer } from '../../exchange/disturbed.ts';
import type { Hint, Obstacle, Stop, StopReason } from '../../exchange/note.ts';
import type { Note } from '../../exchange/trace.ts';
import { extensions } from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { ScenarioTraits } from '../requirements/catalogue.ts';
import { type Cause, causeOfSkip, type SkipCause } from './cause.ts';

const scenariosByRequirement = new WeakMap<
  readonly ScenarioTraits[],
  Map<string, readonly ScenarioTraits[]>
>();

/** A fact is null if it did not occur. */
export interface ScenarioOutcome {
  crashed: string | null;
  skipped: SkipCause | null;
  blocked: { readonly by: string; readonly obstacle: Obstacle } | null;
  /** The exchange before the deadline, with the last state. */
  deadline: { readonly exchange: string; readonly state: string } | null;
}

type EvidenceGap =
  | Extract<Cause, { readonly kind: 'scenario-crashed' | 'blocked' | 'deadline' | 'stopped' }>
  | SkipCause;

const MAX_HINTS = 20;

export class ScenarioHistory {
  #earlierStop: Stop | null = null;
  /** The stop of the run itself. It stays when the run is resumed, because only waiting scenarios are resumed. */
  #firstStop: Stop | null = null;
  #resumedStop: Stop | null = null;
  #isResumed = false;
  /** Distinct, at most `MAX_HINTS`, oldest first. */
  readonly hints: Hint[] = [];
  readonly disturbances: DisturbedAnswer[] = [];
  readonly #outcomes = new Map<string, ScenarioOutcome>();
  readonly #scenarios: readonly ScenarioTraits[];
  readonly #ended = new Set<string>();

  constructor(scenarios: readonly ScenarioTraits[]) {
    this.#scenarios = scenarios;
  }

  get stopReason(): StopReason {
    return this.stop?.reason ?? 'completed';
  }

  /** Why the run stopped early; with several traces, the first stop. Null if there was none. */
  get stop(): Stop | null {
    return this.#earlierStop ?? this.#firstStop ?? this.#resumedStop;
  }

  /** Begins another trace of the same run, such as a shard. The first stop of earlier traces is kept. */
  next(): void {
    this.#earlierStop = this.stop;
    this.#firstStop = null;
    this.#resumedStop = null;
    this.#isResumed = false;
  }

  note(note: Note): void {
    switch (note.note) {
      case 'stopped':
        if (this.#isResumed) this.#resumedStop = stopOf(note);
        else this.#firstStop = stopOf(note);
        break;
      case 'resumed':
        this.#resumedStop = null;
        this.#isResumed = true;
        for (const scenario of note.scenarios) this.#outcomeOf(scenario).deadline = null;
        break;
      case 'scenario-crashed':
        this.#outcomeOf(note.scenario).crashed ??= note.message;
        break;
      case 'scenario-skipped':
        this.#outcomeOf(note.scenario).skipped ??= causeOfSkip(note);
        break;
      case 'blocked':
        this.#outcomeOf(note.scenario).blocked ??= { by: note.by, obstacle: note.obstacle };
        break;
      case 'deadline':
        this.#outcomeOf(note.scenario).deadline ??= { exchange: note.exchange, state: note.state };
        break;
      case 'scenario-ended':
        // After a stop, interrupted scenarios also report their end.
        if ((this.#isResumed ? this.#resumedStop : this.#firstStop) === null) this.#ended.add(note.scenario);
        break;
      case 'disturbed':
        this.disturbances.push(note.answer);
        break;
      case 'scenario-started':
      case 'retry':
      case 'remark':
        break;
      case 'hint':
        this.#addHint(note.hint);
        break;
    }
  }

  part() {
    return {
      stop: this.stop,
      // Files of partial verdicts have this name.
      courses: [...this.#outcomes],
      ended: [...this.#ended],
      hints: [...this.hints],
      disturbances: [...this.disturbances],
    };
  }

  absorb({ stop, courses, ended, hints, disturbances }: ReturnType<ScenarioHistory['part']>): void {
    this.#earlierStop ??= stop;
    for (const [scenario, outcome] of courses) {
      const known = this.#outcomeOf(scenario);
      known.crashed ??= outcome.crashed;
      known.skipped ??= outcome.skipped;
      known.blocked ??= outcome.blocked;
      known.deadline ??= outcome.deadline;
    }
    for (const scenario of ended) this.#ended.add(scenario);
    for (const hint of hints) this.#addHint(hint);
    this.disturbances.push(...disturbances);
  }

  /** Whether --only, --skip or --scenario left any scenario out. */
  get hasLeftOutScenarios(): boolean {
    return [...this.#outcomes.values()].some(({ skipped }) => skipped?.kind === 'filtered');
  }

  /** Whether a scenario completed without a crash, blocker, deadline or skip. */
  hasCompleted(scenario: string): boolean {
    const facts = Object.values(this.#outcomes.get(scenario) ?? {});
    return this.#ended.has(scenario) && facts.every((fact) => fact === null);
  }

  /** The most specific reason why no scenario showed a requirement; null if all completed or no reason is known. */
  absence(requirement: string): EvidenceGap | null {
    if (this.#outcomes.size === 0 && this.stop === null) return null;
    const scenarios = scenariosShowing(this.#scenarios, requirement);
    // Scenarios that simply completed are not in `#outcomes`.
    const outcomes = scenarios.flatMap(({ name }) => {
      const outcome = this.#outcomes.get(name);
      return outcome === undefined ? [] : [{ name, ...outcome }];
    });
    for (const { name, crashed } of outcomes)
      if (crashed !== null) return { kind: 'scenario-crashed', scenario: name, message: crashed };
    for (const { blocked } of outcomes)
      if (blocked !== null) return { kind: 'blocked', exchange: blocked.by, obstacle: blocked.obstacle };
    for (const { deadline } of outcomes)
      if (deadline !== null) return { kind: 'deadline', exchange: deadline.exchange, state: deadline.state };
    // A scenario that was left out would not have shown the requirement anyway; one that was not reached would have.
    if (scenarios.some(({ name }) => this.#isUnreached(name)))
      return { kind: 'stopped', reason: this.stopReason };
    for (const { skipped } of outcomes) if (skipped !== null) return skipped;
    return null;
  }

  /** Whether scenarios may show a requirement, but none is claimed: no filter then explains the missing evidence. */
  isUnclaimed(requirement: string): boolean {
    const scenarios = scenariosShowing(this.#scenarios, requirement);
    return (
      scenarios.length > 0 &&
      scenarios.every(({ name }) => this.#outcomes.get(name)?.skipped?.kind === 'not-claimed')
    );
  }

  #isUnreached(scenario: string): boolean {
    const isLeftOut = this.#outcomes.get(scenario)?.skipped != null;
    return this.stop !== null && !isLeftOut && !this.#ended.has(scenario);
  }

  #addHint(hint: Hint): void {
    const isKnown = this.hints.some((other) => isDeepStrictEqual(other, hint));
    if (this.hints.length < MAX_HINTS && !isKnown) this.hints.push(hint);
  }

  #outcomeOf(scenario: string): ScenarioOutcome {
    const create = () => ({ crashed: null, skipped: null, blocked: null, deadline: null });
    return getOrMake(this.#outcomes, scenario, create);
  }
}

function stopOf({ after: _, note: __, ...stop }: Extract<Note, { readonly note: 'stopped' }>): Stop {
  return stop;
}

function scenariosShowing(
  scenarios: readonly ScenarioTraits[],
  requirement: string,
): readonly ScenarioTraits[] {
  const byRequirement = getOrMake(scenariosByRequirement, scenarios, () => new Map());
  return getOrMake(byRequirement, requirement, () => scenarios.filter((one) => mayShow(one, requirement)));
}

function mayShow({ name, shows }: ScenarioTraits, requirement: string): boolean {
  if (shows !== null) return shows.has(requirement);
  return extensions().some(
    (one) => name.startsWith(`${one.name}.`) && requirement.startsWith(`${one.name}.`),
  );
}
