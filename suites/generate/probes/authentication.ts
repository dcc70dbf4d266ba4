import { type Scenario, scenario } from '../../../drive/scenario/scenario.ts';
import { subjectOf } from '../../../judge/probe/constraints.ts';
import { operation as operationOf } from '../../../schemas/index.ts';
import type { BaseRequest } from '../base.ts';
import { looseFields, withBodyFields } from '../carry.ts';
import { variantOf } from './probes.ts';
import { rolesOf } from './scenarios.ts';

/** Where the label of these requests points; the requirements of authentication judge by it. */
const KEY = 'header.authorization';

/**
 * Per operation one request without a key and one with a wrong key, both valid in all else; then one that has the key,
 * since a refusal proves nothing where all is refused.
 */
export function authenticationScenarios(bases: readonly BaseRequest[]): readonly Scenario[] {
  return bases.filter((base) => base.only === undefined).map(authScenario);
}

/** The three requests of one operation, in one scenario. */
function authScenario(base: BaseRequest): Scenario {
  const operation = operationOf(base.operation);
  const variant = variantOf(base);
  const subject = subjectOf(operation, variant);
  const carrier = variant.body?.carrier ?? null;
  return scenario({
    name: `${variant.family}.auth.${subject}`,
    family: variant.family,
    operations: [operation.id],
    cost: [operation.cost, ...(base.cost ?? [])],
    roles: rolesOf(base),
    key: true,
    probes: true,
    ...(base.lists === undefined ? {} : { lists: base.lists }),
    run: async (context) => {
      const ready = await base.ready(context);
      const valid = looseFields(ready.fields, ready.cheap);
      // Everything is real and valid, so that only the key can be wrong; objects created nevertheless are removed in the end.
      const refused = withBodyFields(base, ready, carrier, valid);
      for (const auth of ['absent', 'wrong'] as const) {
        const id = `${subject}:${KEY}#${auth}.violation`;
        const probe = { id, pointer: KEY, keyword: auth, side: 'violation', control: null } as const;
        await context.call(operation.id, { ...refused, auth, probe });
      }
      await context.call(operation.id, withBodyFields(base, ready, carrier, valid));
    },
  });
}
