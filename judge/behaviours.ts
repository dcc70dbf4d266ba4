import { operation } from '../schemas/index.ts';
import type { Call } from './call.ts';
import type { Bench, Examiner, GreenTrace, Mutant, Rule, Section } from './catalogue.ts';
import { familiesOf } from './operations.ts';
import type { Behaviour, Collector, Evidence, Selector } from './requirement.ts';

/** The hand-written requirements as a section. Those that share a selector share its evidence. */
export function behaviourSection(behaviours: readonly Behaviour<Evidence>[]): Section {
  return {
    rules: behaviours.map(ruleOf),
    open: (bench, only) =>
      new BehaviourExaminer(
        bench,
        only === undefined ? behaviours : behaviours.filter(({ id }) => id === only),
      ),
    *mutants(green) {
      for (const behaviour of behaviours)
        if (green.shown.has(behaviour.id)) yield* mutantsOf(behaviour, green);
    },
  };
}

function* mutantsOf({ id, on, breaks }: Behaviour<Evidence>, green: GreenTrace): Generator<Mutant> {
  const trace = green.calls(on.operations).map(({ exchange }) => exchange);
  for (const [name, edit] of Object.entries(breaks)) yield { rule: id, name, exchanges: edit(trace) };
}

function ruleOf({ id, level, basis, spec, says, on }: Behaviour<Evidence>): Rule {
  const first = on.operations[0];
  if (first === undefined) throw new Error(`${id} selects no operation.`);
  return {
    id,
    kind: 'behaviour',
    families: familiesFor(first, on.variant),
    operations: on.operations,
    level,
    basis,
    spec,
    says,
  };
}

function familiesFor(id: string, variant: 'v1' | 'v2' | null): readonly string[] {
  const { variants } = operation(id);
  const named = variants.find(({ name }) => name === variant);
  return named === undefined ? familiesOf(operation(id)) : [named.family];
}

interface Group {
  readonly selector: Selector<Evidence>;
  readonly collector: Collector<Evidence>;
  readonly behaviours: Behaviour<Evidence>[];
  broken: boolean;
}

class BehaviourExaminer implements Examiner {
  readonly #bench: Bench;
  readonly #groups = new Map<Selector<Evidence>, Group>();
  readonly #byOperation = new Map<string, Group[]>();

  constructor(bench: Bench, behaviours: readonly Behaviour<Evidence>[]) {
    this.#bench = bench;
    for (const behaviour of behaviours) this.#group(behaviour.on).behaviours.push(behaviour);
  }

  call(call: Call): void {
    for (const group of this.#byOperation.get(call.operation.id) ?? []) {
      const { variant } = group.selector;
      if (variant !== null && call.variant?.name !== variant) continue;
      this.#take(group, () => group.collector.call(call));
    }
  }

  finish(): void {
    for (const group of this.#groups.values()) this.#take(group, () => group.collector.finish());
  }

  #group(selector: Selector<Evidence>): Group {
    let group = this.#groups.get(selector);
    if (group === undefined) {
      group = { selector, collector: selector.collect(), behaviours: [], broken: false };
      this.#groups.set(selector, group);
      for (const id of selector.operations) {
        this.#byOperation.set(id, [...(this.#byOperation.get(id) ?? []), group]);
      }
    }
    return group;
  }

  /** A selector that throws takes its own requirements down, and no other. */
  #take(group: Group, collect: () => Iterable<Evidence>): void {
    if (group.broken) return;
    try {
      for (const evidence of collect()) this.#judge(group, evidence);
    } catch (error) {
      group.broken = true;
      for (const { id } of group.behaviours) this.#bench.fault(id, error);
    }
  }

  #judge({ behaviours }: Group, evidence: Evidence): void {
    for (const behaviour of behaviours) {
      try {
        const complaints = behaviour.check(evidence);
        if (complaints.some(({ inconclusive }) => inconclusive === undefined) || complaints.length === 0) {
          this.#bench.observe(behaviour.id, 1);
        }
        for (const complaint of complaints) {
          this.#bench.object(behaviour.id, complaint, evidence.exchanges);
        }
      } catch (error) {
        this.#bench.fault(behaviour.id, error);
      }
    }
  }
}
