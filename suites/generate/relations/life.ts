import type { CallInput, Role, Scenario, Stage } from '../../../drive/scenario.ts';
import { scenario } from '../../../drive/scenario.ts';
import type { Json } from '../../../exchange/body.ts';
import { type Cost, operation as operationOf } from '../../../schemas/index.ts';
import { formOf, type Resource } from './resource.ts';

type Path = Readonly<Record<string, string>>;
type Body = Readonly<Record<string, Json>>;

/** What a family tells of an object's life; its steps follow from the resource. */
export interface LifePlan {
  readonly resource: Resource & { readonly create: string };
  /** Beyond those of its relations and of the schemas that its operations answer with. */
  readonly shows?: readonly string[];
  readonly cost?: readonly Cost[];
  readonly roles?: readonly Role[];
  /** Makes what the object hangs on; gives the ids of its path. */
  readonly owner?: (stage: Stage) => Promise<Path>;
  /** What to create: an object for each body, one after the other. */
  readonly bodies: (stage: Stage) => Promise<readonly Body[]>;
  /** How to modify the last of them, one modification after the other. */
  readonly modifications?: (stage: Stage) => Promise<readonly Body[]>;
}

/** One scenario: objects are created, looked at, modified, looked at again, deleted and looked for. */
export function lifeScenario(plan: LifePlan): Scenario {
  const { resource, shows = [], cost = [], roles = [] } = plan;
  const { create, retrieve, list, modify, remove } = resource;
  const operations = [create, retrieve, list, modify, remove].filter((id) => id !== undefined);
  const answered = operations.map((id) => `${formOf(resource, id).answers[0]?.schema}:*`);
  const { family } = formOf(resource, create);
  return scenario({
    name: `${family}.life`,
    family,
    operations,
    shows: [
      ...new Set([`${resource.area}.*`, ...answered, ...operations.map((id) => `${id}:answer#*`), ...shows]),
    ],
    cost: [...new Set([operationOf(create).cost, ...cost])],
    roles,
    run: async (stage) => {
      const owner = (await plan.owner?.(stage)) ?? {};
      const modifications = (await plan.modifications?.(stage)) ?? [];
      for (const body of await plan.bodies(stage))
        await live({ resource, stage, owner }, body, modifications);
    },
  });
}

interface Setting {
  readonly resource: LifePlan['resource'];
  readonly stage: Stage;
  readonly owner: Path;
}

async function live(setting: Setting, body: Body, modifications: readonly Body[]): Promise<void> {
  const { resource, stage, owner } = setting;
  const { create, retrieve, list, modify, remove } = resource;
  const form: CallInput = resource.variant === undefined ? {} : { variant: resource.variant };
  const made = await stage.need(create, { ...form, path: owner, body });
  const name = /\{(\w+)\}$/.exec(operationOf(retrieve).path)?.[1] ?? 'id';
  const path = { ...owner, [name]: made.text('/id') };
  const look = async (): Promise<void> => {
    await stage.call(retrieve, { ...form, path });
    if (list !== undefined) await stage.call(list, { ...form, path: owner, query: { limit: 100 } });
  };
  await look();
  for (const change of modifications) {
    if (modify !== undefined) await stage.call(modify, { ...form, path, body: change });
    await stage.call(retrieve, { ...form, path });
  }
  if (modifications.length > 0) await look();
  if (remove === undefined) return;
  await stage.call(remove, { ...form, path });
  await look();
}
