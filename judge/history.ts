import type { Note, StopReason } from '../exchange/trace.ts';
import type { ScenarioTraits } from './catalogue.ts';
import { matchesAny } from './glob.ts';

interface Course {
  crashed: string | null;
  skipped: { readonly reason: string; readonly detail: string } | null;
  blocked: { readonly by: string; readonly message: string } | null;
  deadline: { readonly exchange: string; readonly state: string } | null;
}

/** Remarks that are kept. */
const REMARKS = 20;

type Stop = Pick<Extract<Note, { readonly note: 'stopped' }>, 'reason' | 'message'>;

/** Why a requirement has no evidence, as its scenarios tell it. */
export type Absence =
  | { readonly why: 'crashed'; readonly reason: string }
  | { readonly why: 'blocked'; readonly exchange: string; readonly message: string }
  | { readonly why: 'deadline'; readonly reason: string }
  | { readonly why: 'skipped'; readonly reason: string };

/** What became of the scenarios of a run, from the notes of its trace. */
export class History {
  /** Of the run itself, and of those that went on with it: another try may come to its end. */
  readonly #stops: { first: Stop | null; later: Stop | null; resumed: boolean } = {
    first: null,
    later: null,
    resumed: false,
  };
  /** Why a trace before this one broke off. */
  #before: Stop | null = null;
  readonly remarks: string[] = [];
  readonly #courses = new Map<string, Course>();
  readonly #scenarios: readonly ScenarioTraits[];

  constructor(scenarios: readonly ScenarioTraits[]) {
    this.#scenarios = scenarios;
  }

  get stopReason(): StopReason {
    return this.#stop?.reason ?? 'completed';
  }

  get stopMessage(): string | null {
    return this.#stop?.message ?? null;
  }

  get #stop(): Stop | null {
    return this.#before ?? this.#stops.first ?? this.#stops.later;
  }

  /** What follows is of another trace, a shard of the same run. */
  next(): void {
    this.#before = this.#stop;
    Object.assign(this.#stops, { first: null, later: null, resumed: false });
  }

  note(note: Note): void {
    switch (note.note) {
      case 'stopped':
        this.#stops[this.#stops.resumed ? 'later' : 'first'] = note;
        break;
      case 'resumed':
        Object.assign(this.#stops, { later: null, resumed: true });
        for (const scenario of note.scenarios) this.#course(scenario).deadline = null;
        break;
      case 'scenario-crashed':
        this.#course(note.scenario).crashed ??= note.message;
        break;
      case 'scenario-skipped':
        this.#course(note.scenario).skipped ??= note;
        break;
      case 'blocked':
        this.#course(note.scenario).blocked ??= note;
        break;
      case 'deadline':
        this.#course(note.scenario).deadline ??= note;
        break;
      case 'scenario-started':
      case 'scenario-ended':
      case 'retry':
      case 'remark':
        break;
      case 'hint':
        if (this.remarks.length < REMARKS && !this.remarks.includes(note.message))
          this.remarks.push(note.message);
        break;
    }
  }

  /** The most telling reason why no scenario showed evidence for a requirement; null when they all ran, or none is known. */
  absence(requirement: string): Absence | null {
    if (this.#courses.size === 0) return null;
    // Of the scenarios only those that did not simply run have anything to tell.
    const courses = this.#scenarios.flatMap(({ name, shows }) => {
      const course = this.#courses.get(name);
      return course !== undefined && matchesAny(shows, requirement) ? [{ name, ...course }] : [];
    });
    for (const { name, crashed } of courses) {
      if (crashed) return { why: 'crashed', reason: `scenario ${name} crashed: ${crashed}` };
    }
    for (const { blocked } of courses) {
      if (blocked) return { why: 'blocked', exchange: blocked.by, message: blocked.message };
    }
    for (const { deadline } of courses) {
      if (deadline) {
        return {
          why: 'deadline',
          reason: `deadline passed at ${deadline.exchange}, last state ${deadline.state}`,
        };
      }
    }
    for (const { skipped } of courses) {
      if (skipped) {
        const detail = skipped.detail === '' ? '' : `: ${skipped.detail}`;
        return { why: 'skipped', reason: `${skipped.reason}${detail}` };
      }
    }
    return null;
  }

  #course(scenario: string): Course {
    let course = this.#courses.get(scenario);
    if (course === undefined) {
      course = { crashed: null, skipped: null, blocked: null, deadline: null };
      this.#courses.set(scenario, course);
    }
    return course;
  }
}
