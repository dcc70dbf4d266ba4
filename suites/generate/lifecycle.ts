// Scenarios that create, retrieve, list, modify and delete objects.
import {
  type CallInput,
  type ModelRole,
  type Scenario,
  type ScenarioContext,
  scenario,
} from '../../drive/scenario/scenario.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import type { Json } from '../vocabulary/types.ts';
import { variantOfResource } from './objects.ts';
import type { Resource } from './resources.ts';

type Path = Readonly<Record<string, string>>;
type Body = Readonly<Record<string, Json>>;

/** The statements of a family about the lifecycle of an object; the steps follow from the resource. */
export interface LifecyclePlan {
  readonly resource: Resource & { readonly create: string };
  readonly roles?: readonly ModelRole[];
  readonly prepare: (context: ScenarioContext) => Promise<Life>;
}

interface Life {
  /** The path parameters that name the owner of the object. */
  readonly owner?: Path;
  /** The bodies of the creations; each of them begins the life of another object. */
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
      for (const body of bodies) await liveThrough(context, resource, { owner, body, modifications });
    },
  });
}

async function liveThrough(
  context: ScenarioContext,
  resource: LifecyclePlan['resource'],
  { owner, body, modifications }: { owner: Path; body: Body; modifications: readonly Body[] },
): Promise<void> {
  const { create, retrieve, list, modify, remove } = resource;
  const form: CallInput = resource.variant === undefined ? {} : { variant: resource.variant };
  const created = await context.need(create, { ...form, path: owner, body });
  const name = /\{(\w+)\}$/.exec(operationOf(retrieve).path)?.[1] ?? 'id';
  const path = { ...owner, [name]: created.text('/id') };
  const lookUp = async (): Promise<void> => {
    await context.call(retrieve, { ...form, path });
    if (list !== undefined) await context.call(list, { ...form, path: owner, query: { limit: 100 } });
  };
  await lookUp();
  for (const change of modifications) {
    if (modify !== undefined) await context.call(modify, { ...form, path, body: change });
    await context.call(retrieve, { ...form, path });
  }
  if (modifications.length > 0) await lookUp();
  if (remove === undefined) return;
  await context.call(remove, { ...form, path });
  await lookUp();
  // The last one names a field: a refusal of one that names none could be for that reason.
  const change = modifications.at(-1);
  if (modify !== undefined && change !== undefined)
    await context.call(modify, { ...form, path, body: change });
}
