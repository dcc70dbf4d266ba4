import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { operations } from '../../schemas/index.ts';
import { Call } from '../call.ts';
import type { Catalogue, Mutant, Section } from '../catalogue.ts';
import { judge } from '../court.ts';
import type { Benign } from './benign/benign.ts';
import { generalChanges } from './benign/changes.ts';
import { unseenExamples } from './choice-examples.ts';
import { greenTrace, type Trace } from './green.ts';
import { Watch } from './watch.ts';

/** What a proof shows. */
export interface Proof {
  readonly mutants: number;
  readonly killed: number;
  /** Mutants that their requirement did not object to, or that broke nothing. */
  readonly survived: readonly {
    readonly requirement: string;
    readonly mutant: string;
    readonly why: string;
  }[];
  /** Benign changes that changed something. */
  readonly benign: number;
  /** Requirements that objected to a change that no fair judge objects to, or were blinded by it. */
  readonly accused: readonly {
    readonly change: string;
    readonly requirement: string;
    readonly why: string;
  }[];
  /** Benign changes that the trace has nothing for. */
  readonly idle: readonly string[];
  /** By requirement how it was proved. Requirements without evidence in the trace are not here. */
  readonly requirements: Readonly<Record<string, RequirementProof>>;
  /** Requirements that the trace shows nothing of, so nothing is proved of them. */
  readonly unproved: readonly string[];
}

/** How one requirement was proved. */
export interface RequirementProof {
  readonly mutants: number;
  readonly killed: number;
  /** By the way in which it was broken: how many mutants of that kind were killed. */
  readonly by: Readonly<Record<string, number>>;
}

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
}

/**
 * Breaks a green trace in every way that its requirements can be broken, and changes it in every way that they have
 * to bear. Throws NotGreen where the trace has findings.
 */
export function prove(catalogue: Catalogue, trace: Trace, portion: Portion = {}): Proof {
  const { only = () => true, share = { index: 0, of: 1 } } = portion;
  const before = judge(catalogue, trace.header, trace.items).requirements;
  const broken = before.filter(
    ({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'error',
  );
  if (broken.length > 0) throw new NotGreen(broken.map(({ id }) => id));
  const shown = new Set(before.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id));
  const hunted = new Set([...shown].filter((id, n) => n % share.of === share.index && only(id)));
  const green = greenTrace(trace, hunted);
  const hunt = new Hunt(trace.header);
  for (const section of catalogue.sections) {
    for (const mutant of section.mutants(green)) if (hunted.has(mutant.rule)) hunt.take(section, mutant);
  }
  const bare = [...hunted].filter((id) => (hunt.requirements[id]?.killed ?? 0) === 0);
  for (const id of bare)
    hunt.survived.push({ requirement: id, mutant: '(none)', why: 'no mutant of it is killed' });
  const own = <T>(_: T, n: number): boolean => n % share.of === share.index;
  hunt.survived.push(...unseenExamples(catalogue.choices.filter(own), green));
  const changes = [...generalChanges(trace.header.betaHeader), ...catalogue.benign];
  const understood = new Map(
    green.calls(operations().map(({ id }) => id)).map((call) => [call.exchange, call]),
  );
  const trial = tryChanges({ catalogue, trace, shown, understood }, changes.filter(own));
  return {
    mutants: hunt.mutants,
    killed: Object.values(hunt.requirements).reduce((sum, { killed }) => sum + killed, 0),
    survived: hunt.survived,
    ...trial,
    requirements: hunt.requirements,
    unproved: before.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id),
  };
}

/** The whole proof out of its shares. */
export function joinProofs(shares: readonly Proof[]): Proof {
  const sum = (figure: (proof: Proof) => number): number =>
    shares.reduce((total, proof) => total + figure(proof), 0);
  const requirements = Object.assign({}, ...shares.map((proof) => proof.requirements));
  return {
    mutants: sum((proof) => proof.mutants),
    killed: sum((proof) => proof.killed),
    survived: shares.flatMap((proof) => proof.survived),
    benign: sum((proof) => proof.benign),
    accused: shares.flatMap((proof) => proof.accused),
    idle: shares.flatMap((proof) => proof.idle),
    requirements,
    unproved: shares[0]?.unproved ?? [],
  };
}

class Hunt {
  mutants = 0;
  readonly requirements: Record<string, RequirementProof> = {};
  readonly survived: { requirement: string; mutant: string; why: string }[] = [];
  readonly #header: TraceHeader;

  constructor(header: TraceHeader) {
    this.#header = header;
  }

  take(section: Section, { rule, name, exchanges, longer }: Mutant): void {
    this.mutants += 1;
    const short = this.#spared(section, rule, exchanges);
    const why = short === null || longer === undefined ? short : this.#spared(section, rule, longer());
    const { mutants, killed, by } = this.requirements[rule] ?? { mutants: 0, killed: 0, by: {} };
    const kind = name.replace(/( at place|, probe) \d+$/, '');
    const more = why === null ? { [kind]: (by[kind] ?? 0) + 1 } : {};
    this.requirements[rule] = {
      mutants: mutants + 1,
      killed: killed + (why === null ? 1 : 0),
      by: { ...by, ...more },
    };
    if (why !== null) this.survived.push({ requirement: rule, mutant: name, why });
  }

  /** Why a mutant is not killed; null when it is. */
  #spared(section: Section, rule: string, exchanges: readonly Exchange[] | null): string | null {
    if (exchanges === null) return 'it applies to nothing in the trace';
    const bench = new Watch(this.#header, rule);
    const examiner = section.open(bench, rule);
    for (const exchange of exchanges) {
      const call = Call.of(exchange, this.#header.betaHeader);
      if (call === null) examiner.download?.(exchange);
      else examiner.call(call);
    }
    examiner.finish();
    if (bench.faults.length > 0) return `our check threw: ${bench.faults[0]}`;
    if (bench.objections === 0) return 'the requirement does not object';
    return bench.observations === 0 ? 'the requirement objects, but sees no evidence' : null;
  }
}

/** What changes are tried on. */
interface Ground {
  readonly catalogue: Catalogue;
  readonly trace: Trace;
  readonly shown: ReadonlySet<string>;
  readonly understood: ReadonlyMap<Exchange, Call>;
}

/** Makes benign changes, one at a time, and judges what comes out. */
function tryChanges(ground: Ground, changes: readonly Benign[]) {
  const { items } = ground.trace;
  const idle: string[] = [];
  const accused: { change: string; requirement: string; why: string }[] = [];
  let benign = 0;
  for (const change of changes) {
    const changed = change.apply(items);
    if (changed.every((item, i) => item === items[i])) idle.push(change.name);
    else {
      benign += 1;
      accused.push(...accusations(ground, changed, change));
    }
  }
  return { benign, accused, idle };
}

function accusations(ground: Ground, items: readonly TraceItem[], change: Benign) {
  const { trace, shown, understood } = ground;
  const after = judge(touchedBy(items, ground), trace.header, items, understood).requirements;
  return after.flatMap(({ id, verdict, findings }) => {
    const [finding] = findings;
    const accuses = verdict === 'fail' || verdict === 'warn' || verdict === 'error';
    if (!accuses && (!shown.has(id) || verdict === 'pass' || change.blinds === true)) return [];
    const why =
      finding === undefined ? `${verdict} instead of pass` : `at ${finding.at} expected ${finding.expected}`;
    return [{ change: change.name, requirement: id, why: `${why} (${finding?.exchange ?? 'no exchange'})` }];
  });
}

/** The rules that may say something else of the changed trace: those whose evidence is all the same say the same. */
function touchedBy(items: readonly TraceItem[], { catalogue, trace }: Ground): Catalogue {
  const touched = new Set<string>();
  const touch = (item: TraceItem | undefined): void => {
    const call = item === undefined || isNote(item) ? null : Call.of(item, trace.header.betaHeader);
    if (call !== null) touched.add(call.operation.id);
  };
  for (let i = 0; i < Math.max(items.length, trace.items.length); i += 1) {
    if (items[i] === trace.items[i]) continue;
    touch(trace.items[i]);
    touch(items[i]);
  }
  const sections = catalogue.sections.map((section) => section.touching?.(touched) ?? section);
  return { ...catalogue, sections, choices: [], lives: [] };
}
