import { operation } from '../schemas/index.ts';
import type { Bench, Rule, Section } from './catalogue.ts';
import { Gathering, type Listener } from './gathering.ts';
import { familiesOf } from './operations.ts';
import { mutantsOf } from './proof/behaviour-mutants.ts';
import type { Behaviour, Evidence } from './requirement.ts';

/** The hand-written requirements as a section. Those that share a selector share its evidence. */
export function behaviourSection(behaviours: readonly Behaviour<Evidence>[]): Section {
  return {
    rules: behaviours.map(ruleOf),
    open: (bench, only) => {
      const chosen = only === undefined ? behaviours : behaviours.filter(({ id }) => id === only);
      return new Gathering(listenersOf(bench, chosen));
    },
    touching: (operations) =>
      behaviourSection(
        behaviours.filter(({ on }) => on.downloads || on.operations.some((id) => operations.has(id))),
      ),
    listeners: (bench) => listenersOf(bench, behaviours),
    kinds: (id) => Object.keys(behaviours.find((one) => one.id === id)?.breaks ?? {}),
    *mutants(green) {
      for (const behaviour of behaviours)
        if (green.shown.has(behaviour.id)) yield* mutantsOf(behaviour, green);
    },
  };
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

function listenersOf(bench: Bench, behaviours: readonly Behaviour<Evidence>[]): Listener[] {
  return behaviours.map((behaviour) => ({
    on: behaviour.on,
    hear: (evidence) => judge(bench, behaviour, evidence),
    deafen: (error) => bench.fault(behaviour.id, error),
  }));
}

function judge(bench: Bench, behaviour: Behaviour<Evidence>, evidence: Evidence): void {
  try {
    const complaints = behaviour.check(evidence);
    if (complaints.some(({ inconclusive }) => inconclusive === undefined) || complaints.length === 0) {
      bench.observe(behaviour.id, 1);
    }
    for (const complaint of complaints) bench.object(behaviour.id, complaint, evidence.exchanges);
  } catch (error) {
    bench.fault(behaviour.id, error);
  }
}
