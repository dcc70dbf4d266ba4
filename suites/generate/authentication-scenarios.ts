import { type Scenario, scenario } from '../../drive/scenario/scenario.ts';
import { subjectOf } from '../../judge/probe/request-constraints.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import { requiredRoles } from './probe-scenarios.ts';
import { variantOf } from './probes.ts';
import { type BaseRequest, looseFields, withBodyFields } from './requests.ts';

const KEY = 'header.authorization';

/**
 * Each scenario sends a valid request without a key, with a wrong key, and with the right one, whose success shows that
 * the others are refused for their keys.
 */
export function authenticationScenarios(bases: readonly BaseRequest[]): readonly Scenario[] {
  return bases.filter((base) => base.only === undefined).map(authenticationScenario);
}

function authenticationScenario(base: BaseRequest): Scenario {
  const operation = operationOf(base.operation);
  const variant = variantOf(base);
  const subject = subjectOf(operation, variant);
  const carrier = variant.body?.carrier ?? null;
  return scenario({
    name: `${variant.family}.auth.${subject}`,
    family: variant.family,
    operations: [operation.id],
    cost: [operation.cost, ...(base.cost ?? [])],
    roles: requiredRoles(base),
    optionalRoles: base.optionalRoles ?? [],
    key: 'one',
    probes: true,
    ...(base.lists === undefined ? {} : { lists: base.lists }),
    run: async (context) => {
      const ready = await base.ready(context);
      const valid = withBodyFields(base, ready, carrier, looseFields(ready.fields, ready.cheap));
      for (const auth of ['absent', 'wrong'] as const) {
        const id = `${subject}:${KEY}#${auth}.violation`;
        const probe = { id, pointer: KEY, keyword: auth, side: 'violation', control: null } as const;
        await context.call(operation.id, { ...valid, auth, probe });
      }
      await context.call(operation.id, valid);
    },
  });
}
