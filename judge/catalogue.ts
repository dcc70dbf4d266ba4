import type { Exchange } from '../exchange/exchange.ts';
import type { Obstacle } from '../exchange/note.ts';
import type { TraceHeader } from '../exchange/trace.ts';
import type { Call } from './call.ts';
import type { Listener } from './gathering.ts';
import type { Life } from './lives.ts';
import type { Benign } from './proof/benign/benign.ts';
import type { Basis, Choice, Complaint, Evidence, Exclusion, Kind, Level } from './requirement.ts';

/** A requirement as it is listed, whatever judges it. */
export interface Rule {
  readonly id: string;
  readonly kind: Kind;
  /** The first names the family that it is reported under; claimed when any of them is. */
  readonly families: readonly string[];
  readonly operations: readonly string[];
  readonly level: Level;
  readonly basis: Basis;
  readonly spec: string;
  readonly says: string;
}

/** Where an examiner says what it saw. Ids are those of its own rules. */
export interface Bench {
  readonly header: TraceHeader;
  observe(id: string, times: number): void;
  /** `evidence` is what the complaint is about; its exchange is the last of it unless the complaint names another. */
  object(id: string, complaint: Complaint, evidence: readonly Exchange[]): void;
  /** The evidence that would judge this rule did not come about, because of this exchange. */
  block(id: string, exchange: string, obstacle: Obstacle): void;
  /** A check of ours threw. */
  fault(id: string, error: unknown): void;
}

/** Judges many rules of one sort in one pass over a trace. */
export interface Examiner {
  call(call: Call): void;
  /** A call whose path is spelled in the other way: only choices look at it. */
  elsewhere?(call: Call): void;
  /** An exchange that calls no operation. */
  download?(exchange: Exchange): void;
  finish(): void;
}

/** Rules of one sort, who judges them, and how they are proved. */
export interface Section {
  readonly rules: readonly Rule[];
  /** `only` narrows the examiner to one rule, where it can be. */
  open(bench: Bench, only?: string): Examiner;
  /** In place of an examiner in a trace that everything is judged by: what its rules listen to, collected for all at once. */
  listeners?(bench: Bench): readonly Listener[];
  /** Those of its rules that calls of these operations can be evidence for; itself where it makes no difference. */
  touching?(operations: ReadonlySet<string>): Section;
  /** Does step by step what the first trace would have to wait for. */
  prepare?(): Iterable<unknown>;
  /** Every kind of way in which one of its rules can be broken: of each a mutant has to be killed. */
  kinds(id: string): readonly string[];
  /** Traces with one thing broken each, made out of a trace in which nothing is. */
  mutants(green: GreenTrace): Iterable<Mutant>;
}

/** A trace without findings, as the proof breaks it. */
export interface GreenTrace {
  readonly header: TraceHeader;
  readonly exchanges: readonly Exchange[];
  /** Calls of the operations, in the order in which they ended. */
  calls(operations: readonly string[]): readonly Call[];
  /** Rules that the unbroken trace shows evidence for and that are to be broken. */
  readonly shown: ReadonlySet<string>;
}

/** A broken trace, reduced to what matters for the rule that has to notice. */
export interface Mutant {
  /** Id of the rule. */
  readonly rule: string;
  /** Of which kind it is, see `proof/kinds.ts`. */
  readonly kind: string;
  /** What is broken, in words; unique among the mutants of a rule. */
  readonly name: string;
  /** Null where the way to break it found nothing that it applies to. */
  readonly exchanges: readonly Exchange[] | null;
  /** The same in a longer trace, where this one turns out too short to show anything. */
  readonly longer?: () => readonly Exchange[] | null;
}

/** What the judge has to know of a scenario: what it would have shown, had it run. */
export interface ScenarioTraits {
  readonly name: string;
  /** Requirement ids, with `*`. */
  readonly shows: readonly string[];
}

/** Requirements that no scenario can make evidence for on any target, and why. */
export interface Infeasible {
  /** Requirement id, with `*`. */
  readonly id: string;
  readonly reason: string;
}

/** A kind of way to break a requirement that cannot be tried on a trace of the reference, and why. */
export interface ProofException {
  /** Requirement id, with `*`. */
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  /** The day, as YYYY-MM-DD, from which it does not hold any more; null where it can never be tried. */
  readonly expires: string | null;
}

/** Everything that a trace can be judged by. */
export interface Catalogue {
  readonly sections: readonly Section[];
  readonly choices: readonly Choice<Evidence>[];
  readonly exclusions: readonly Exclusion[];
  readonly infeasible: readonly Infeasible[];
  readonly proofExceptions?: readonly ProofException[];
  /** Changes of a trace that no requirement may object to, beside the general ones. */
  readonly benign: readonly Benign[];
  readonly scenarios: readonly ScenarioTraits[];
  /** States to be followed through a trace, for people to look at. */
  readonly lives?: readonly Life[];
}

const sorted = new WeakMap<Catalogue, ReadonlyMap<string, Rule>>();

/** Every rule of a catalogue, by id. Throws when two have the same id. */
export function rulesOf(catalogue: Catalogue): ReadonlyMap<string, Rule> {
  let rules = sorted.get(catalogue);
  if (rules === undefined) {
    rules = sortedRules(catalogue);
    sorted.set(catalogue, rules);
  }
  return rules;
}

function sortedRules(catalogue: Catalogue): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  for (const rule of catalogue.sections.flatMap((section) => section.rules)) {
    if (rules.has(rule.id)) throw new Error(`Two requirements have the id ${rule.id}.`);
    rules.set(rule.id, rule);
  }
  return new Map([...rules].sort(([a], [b]) => (a < b ? -1 : 1)));
}
