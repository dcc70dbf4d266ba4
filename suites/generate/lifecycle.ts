import type { ModelRole } from '../../drive/scenario/model-roles.ts';
import {
  type CallInput,
  type Scenario,
  type ScenarioContext,
  scenario,
} from '../../drive/scenario/scenario.ts';
import { operation as operationOf, pathParameters } from '../../schemas/index.ts';
import type { Json } from '../vocabulary/types.ts';
import { variantOfResource } from './objects.ts';
import type { Resource } from './resources.ts';

type Path = Readonly<Record<string, string>>;
type Body = Readonly<Record<string, Json>>;

export interface LifecyclePlan {
  readonly resource: Resource & { readonly create: string };
  readonly roles?: readonly ModelRole[];
  readonly prepare: (context: ScenarioContext) => Promise<LifecycleInput>;
}

interface LifecycleInput {
  readonly owner?: Path;
  readonly bodies: readonly Body[];
  readonly modifications?: readonly Body[];
}

export function lifecycleScenario({ resource, roles = [], prepare }: LifecyclePlan): Scenario {
  const { create, retrieve, list, modify, remove } = resource;
  const operations = [create, retrieve, list, modify, remove].filter((id) => id !== undefined);
  const { family } = variantOfResource(resource, create);
  return scenario({
    name: `${family}.life`,
    family,
    operations,
    cost: [operationOf(create).cost],
    roles,
    run: async (context) => {
      const { owner = {}, bodies, modifications = [] } = await prepare(context);
      for (const body of bodies) await runLifecycle(context, resource, { owner, body, modifications });
    },
  });
}

async function runLifecycle(
  context: ScenarioContext,
  resource: LifecyclePlan['resource'],
  { owner, body, modifications }: { owner: Path; body: Body; modifications: readonly Body[] },
): Promise<void> {
  const { create, retrieve, list, modify, remove } = resource;
  const version: CallInput = resource.variant === undefined ? {} : { variant: resource.variant };
  const created = await context.need(create, { ...version, path: owner, body });
  const name = pathParameters(operationOf(retrieve)).at(-1) ?? 'id';
  const path = { ...owner, [name]: created.text('/id') };
  const retrieveAndList = async (): Promise<void> => {
    await context.call(retrieve, { ...version, path });
    if (list !== undefined) await context.call(list, { ...version, path: owner, query: { limit: 100 } });
  };
  await retrieveAndList();
  for (const change of modifications) {
    if (modify !== undefined) await context.call(modify, { ...version, path, body: change });
    await context.call(retrieve, { ...version, path });
  }
  if (modifications.length > 0) await retrieveAndList();
  if (remove === undefined) return;
  await context.call(remove, { ...version, path });
  await retrieveAndList();
  // The deleted object must not be found. The last modification names a field: an empty one may be refused anyway.
  const change = modifications.at(-1);
  if (modify !== undefined && change !== undefined)
    await context.call(modify, { ...version, path, body: change });
}
