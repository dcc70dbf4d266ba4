import type { Bench, Infeasible, Section } from '../judge/catalogue.ts';
import type { Exclusion } from '../judge/requirement.ts';

/**
 * Takes requirements that no target can ever show out of their sections: they become exclusions of the same id, with the
 * reason why. Throws where an id is not that of a requirement.
 */
export function without(
  unshown: readonly Infeasible[],
  sections: readonly Section[],
): { sections: readonly Section[]; excluded: readonly Exclusion[] } {
  const rules = new Map(sections.flatMap((section) => section.rules.map((rule) => [rule.id, rule] as const)));
  const excluded = unshown.map(({ id, reason }): Exclusion => {
    const rule = rules.get(id);
    if (rule === undefined) throw new Error(`${id} is excluded, but there is no such requirement.`);
    return { id, spec: rule.spec, says: rule.says, reason: sentence(reason) };
  });
  const ids = new Set(unshown.map(({ id }) => id));
  return { sections: sections.map((section) => narrowed(section, ids)), excluded };
}

function narrowed(section: Section, ids: ReadonlySet<string>): Section {
  if (!section.rules.some(({ id }) => ids.has(id))) return section;
  const { listeners, touching } = section;
  return {
    ...section,
    rules: section.rules.filter(({ id }) => !ids.has(id)),
    open: (bench, only) => section.open(deaf(bench, ids), only),
    ...(listeners === undefined ? {} : { listeners: (bench) => listeners(deaf(bench, ids)) }),
    ...(touching === undefined ? {} : { touching: (operations) => narrowed(touching(operations), ids) }),
  };
}

/** A bench that hears nothing about some rules. */
function deaf(bench: Bench, ids: ReadonlySet<string>): Bench {
  return {
    header: bench.header,
    observe: (id, times) => {
      if (!ids.has(id)) bench.observe(id, times);
    },
    object: (id, complaint, evidence) => {
      if (!ids.has(id)) bench.object(id, complaint, evidence);
    },
    block: (id, exchange, message) => {
      if (!ids.has(id)) bench.block(id, exchange, message);
    },
    fault: (id, error) => {
      if (!ids.has(id)) bench.fault(id, error);
    },
  };
}

function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
