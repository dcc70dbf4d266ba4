import { type Scenario, scenario } from '../../drive/scenario.ts';
import { subjectOf } from '../../judge/probe/constraints.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import type { Base } from './base.ts';
import { carried, loose } from './carry.ts';
import { isHarmless } from './harmless.ts';
import { treeOf, variantOf } from './probes.ts';
import { rolesOf } from './scenarios.ts';

/** Where the label of these requests points; the requirements of authentication judge by it. */
const KEY = 'header.authorization';

/**
 * Per operation one request without a key and one with a wrong key, so made that nothing comes of them even where
 * nobody asks for a key; then one that has the key and is valid, since a refusal proves nothing where all is refused.
 */
export function authScenarios(bases: readonly Base[]): readonly Scenario[] {
  return bases.filter((base) => base.only === undefined).map(authScenario);
}

function authScenario(base: Base): Scenario {
  const operation = operationOf(base.operation);
  const variant = variantOf(base);
  const subject = subjectOf(operation, variant);
  const carrier = variant.body?.carrier ?? null;
  return scenario({
    name: `${variant.family}.auth.${subject}`,
    family: variant.family,
    operations: [operation.id],
    shows: [`auth.${kebab(operation.id)}.*`],
    cost: [operation.cost, ...(base.cost ?? [])],
    roles: rolesOf(base),
    key: true,
    ...(base.lists === undefined ? {} : { lists: base.lists }),
    run: async (stage) => {
      const ready = await base.ready(stage);
      const valid = loose(ready.fields, ready.cheap);
      // The object is real, so that only the key can be wrong; a body that would make another is one that nobody accepts.
      const refused = carried(
        base,
        { path: ready.path ?? {} },
        carrier,
        isHarmless(operation, variant) ? valid : carrier === 'json' ? unacceptable(base) : {},
      );
      for (const auth of ['absent', 'wrong'] as const) {
        const id = `${subject}:${KEY}#${auth}.violation`;
        const probe = { id, pointer: KEY, keyword: auth, side: 'violation', control: null } as const;
        await stage.call(operation.id, { ...refused, auth, probe });
      }
      await stage.call(operation.id, carried(base, ready, carrier, valid));
    },
  });
}

/** No fields where some are required, else one of the wrong type. */
function unacceptable(base: Base): Record<string, number> {
  const members = treeOf(variantOf(base))?.members ?? [];
  const [first] = members;
  return first === undefined || members.some((member) => member.required) ? {} : { [first.name]: 7 };
}

function kebab(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
