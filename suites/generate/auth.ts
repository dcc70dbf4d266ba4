import { type CallInput, type Scenario, type Stage, scenario } from '../../drive/scenario.ts';
import { subjectOf } from '../../judge/probe/constraints.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import type { Base } from './base.ts';
import { carried, loose } from './carry.ts';
import { treeOf, variantOf } from './probes.ts';

/** Where the label of these requests points; the requirements of authentication judge by it. */
const KEY = 'header.authorization';

/** Per operation one request without a key and one with a wrong key, so made that nothing comes of it even where nobody asks for a key. */
export function authScenarios(bases: readonly Base[]): readonly Scenario[] {
  return bases.filter((base) => base.only === undefined).map(authScenario);
}

function authScenario(base: Base): Scenario {
  const operation = operationOf(base.operation);
  const variant = variantOf(base);
  const needsObject = operation.path.includes('{');
  return scenario({
    name: `${variant.family}.auth.${subjectOf(operation, variant)}`,
    family: variant.family,
    operations: [operation.id],
    shows: [`auth.${kebab(operation.id)}.*`],
    cost: needsObject ? [operation.cost, ...(base.cost ?? [])] : ['free'],
    roles: needsObject ? (base.roles ?? []) : [],
    key: true,
    ...(base.lists === undefined ? {} : { lists: base.lists }),
    run: async (stage) => {
      const input = await harmless(base, stage, needsObject);
      for (const auth of ['absent', 'wrong'] as const) {
        const id = `${subjectOf(operation, variant)}:${KEY}#${auth}.violation`;
        const probe = { id, pointer: KEY, keyword: auth, side: 'violation', control: null } as const;
        await stage.call(operation.id, { ...input, auth, probe });
      }
    },
  });
}

/** The object is real, so that only the key can be wrong; a body is one that nobody accepts. */
async function harmless(base: Base, stage: Stage, needsObject: boolean): Promise<CallInput> {
  const variant = variantOf(base);
  const carrier = variant.body?.carrier ?? null;
  const { path } = needsObject ? await base.ready(stage) : {};
  const fields = loose(refused(base));
  return carried(base, path === undefined ? {} : { path }, carrier, carrier === 'multipart' ? {} : fields);
}

/** No fields where some are required, else one of the wrong type. */
function refused(base: Base): Record<string, number> {
  const members = treeOf(variantOf(base))?.members ?? [];
  const [first] = members;
  return first === undefined || members.some((member) => member.required) ? {} : { [first.name]: 7 };
}

function kebab(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
