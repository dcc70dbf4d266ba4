import type { ModelRole } from '../../drive/scenario/model-roles.ts';
import { type Scenario, type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import type { CostClass } from '../../schemas/index.ts';
import { type ListRow, listRows } from './lists.ts';
import { type ListPath, type ListQuery, PageRequester } from './page-requester.ts';

/** The traits in `openapi.json` decide which pages are requested; `lists.requirements.ts` judges them. */
export interface ListPlan {
  readonly operation: string;
  readonly variant?: 'v1' | 'v2';
  /** Cost of the owner and the elements, in addition to the list. */
  readonly cost?: readonly CostClass[];
  readonly roles?: readonly ModelRole[];
  /** Creates the owner of the list; returns the ids of its path. Absent for a list of the organization. */
  readonly owner?: (context: ScenarioContext) => Promise<ListPath>;
  /** Creates the i-th element and returns its id. Absent if the owner is created with its elements. */
  readonly element?: (context: ScenarioContext, path: ListPath, i: number) => Promise<string>;
  readonly filters?: Readonly<Record<string, readonly string[]>>;
  /** How many elements to create to show the default page size, 0 for none. Default: one or two more than that size. */
  readonly bulk?: number;
}

const SEVERAL_ELEMENTS = 5;
const CONCURRENT_CREATIONS = 8;

export function listScenarios(plan: ListPlan): readonly Scenario[] {
  const row = listRowOf(plan);
  // In a list of the organization, one element of this run is the cursor that leads to the others.
  const beyond = row.traits.scope === 'organization' ? 2 : 1;
  const count = plan.bulk ?? (row.traits.defaultLimit ?? 0) + beyond;
  const isLong = plan.element !== undefined && row.traits.make >= count && count > beyond;
  const several = listScenario(plan, row, { topic: 'several', cost: [], run: showSeveral });
  if (!isLong) return [several];
  const run = (setting: Setting) => showMany(setting, count);
  return [several, listScenario(plan, row, { topic: 'many', cost: ['bulk'], run })];
}

interface Setting {
  readonly plan: ListPlan;
  readonly context: ScenarioContext;
  readonly path: ListPath;
  readonly list: PageRequester;
}

interface ScenarioDraft {
  readonly topic: string;
  readonly cost: readonly CostClass[];
  readonly run: (setting: Setting) => Promise<void>;
}

function listRowOf({ operation, variant }: ListPlan): ListRow {
  const row = listRows().find(
    (one) => one.operation.id === operation && (variant === undefined || one.variant.name === variant),
  );
  if (row === undefined) throw new Error(`${operation} is not a list of openapi.json.`);
  return row;
}

function listScenario(plan: ListPlan, row: ListRow, { topic, cost, run }: ScenarioDraft): Scenario {
  const { operation, variant, subject } = row;
  return scenario({
    name: `${variant.family}.list.${subject}.${topic}`,
    family: variant.family,
    operations: [operation.id],
    cost: [...new Set([operation.cost, ...(plan.cost ?? []), ...cost])],
    roles: plan.roles ?? [],
    run: async (context) => {
      const path = (await plan.owner?.(context)) ?? {};
      await run({ plan, context, path, list: new PageRequester(context, row, path) });
    },
  });
}

async function showSeveral(setting: Setting): Promise<void> {
  const { list, plan } = setting;
  const ids = await createSeveral(setting);
  const newest = list.row.traits.scope === 'parent' ? undefined : ids.at(-1);
  await list.requestPage(newest === undefined ? {} : { after: newest });
  // Whatever the default order, an element of this run with another timestamp follows the middle one.
  if (newest !== undefined && list.row.traits.order) await list.requestPage({ after: ids[2] ?? newest });
  await list.requestPage({ limit: 1 });
  for (const order of list.orders) {
    if (list.row.traits.scope === 'parent') {
      await list.requestPage({ ...order, limit: 100 });
      await list.walk({ ...order, limit: 2 });
      // The last page is full, and a further one is empty.
      if (ids.length > 0) await list.walk({ ...order, limit: ids.length });
    } else await walkOwnIds(list, ids, order);
    await requestAroundCursors(list, ids, order);
  }
  for (const [name, values] of Object.entries(plan.filters ?? {})) {
    for (const value of values) await list.requestPage({ [name]: value });
  }
  await requestAfterUnknown(setting);
}

async function createSeveral({ plan, context, path, list }: Setting): Promise<readonly string[]> {
  const { element } = plan;
  if (element === undefined) return list.requestPage({ limit: 100 });
  if (list.row.traits.scope === 'parent') await list.requestPage();
  // Only elements of different seconds show the order by time. In an ordered list of the organization, elements of
  // other seconds are on both sides of the middle one.
  const newSecondIndexes = list.row.traits.scope === 'parent' || !list.row.traits.order ? [2] : [1, 4];
  const ids: string[] = [];
  for (let i = 0; i < Math.min(SEVERAL_ELEMENTS, list.row.traits.make); i++) {
    if (newSecondIndexes.includes(i)) await context.nextSecond();
    ids.push(await element(context, path, i));
  }
  return ids;
}

async function walkOwnIds(list: PageRequester, ids: readonly string[], order: ListQuery): Promise<void> {
  const from = order['order'] === 'asc' ? ids[0] : ids.at(-1);
  const others = ids.filter((id) => id !== from);
  if (from === undefined) return;
  if (order['order'] !== undefined) await list.walk({ ...order, limit: 2, after: from }, others);
  else {
    await list.walk({ limit: 2 }, ids);
    await list.walk({ limit: 40 });
  }
}

async function requestAroundCursors(
  list: PageRequester,
  ids: readonly string[],
  order: ListQuery,
): Promise<void> {
  const { cursors } = list.row.traits;
  const [first, , middle] = ids;
  if (middle === undefined || first === undefined) return;
  if (cursors.includes('after')) {
    const following = await list.requestPage({ ...order, after: middle, limit: 100 });
    const last = following.at(-1);
    // A walk through a list below an owner ends with this page anyway.
    if (last !== undefined && list.row.traits.scope === 'organization')
      await list.requestPage({ ...order, after: last, limit: 100 });
    await list.requestPage({ ...order, after: first, limit: 2 });
  }
  if (!cursors.includes('before')) return;
  await list.requestPage({ ...order, before: middle, limit: 100 });
  await list.requestPage({ ...order, before: ids.at(-1) ?? middle, limit: 2 });
  const [from, to] = order['order'] === 'asc' ? [ids[0], ids[3]] : [ids[4], ids[1]];
  if (from !== undefined && to !== undefined) await list.requestPage({ ...order, after: from, before: to });
}

async function requestAfterUnknown({ context, list }: Setting): Promise<void> {
  const { cursors } = list.row.traits;
  if (!cursors.includes('after')) return;
  const label = { pointer: 'query.after', keyword: 'unknown', side: 'violation', control: null } as const;
  const probe = { id: `${list.row.subject}:${label.pointer}#${label.keyword}`, ...label };
  await list.requestPage({ after: context.unknownId('assay_') }, { probe });
}

async function showMany({ plan, context, path, list }: Setting, count: number): Promise<void> {
  const { element } = plan;
  const { scope, defaultLimit, maxLimit } = list.row.traits;
  const ids: string[] = [];
  while (element !== undefined && ids.length < count) {
    const next = Array.from(
      { length: Math.min(CONCURRENT_CREATIONS, count - ids.length) },
      (_, i) => ids.length + i,
    );
    ids.push(...(await Promise.all(next.map((i) => element(context, path, i)))));
  }
  const newest = scope === 'organization' ? await queryAfterNewest(list, ids) : {};
  await list.requestPage(newest);
  if (defaultLimit !== null) await list.requestPage({ ...newest, limit: defaultLimit });
  if (scope === 'parent') await list.walk({});
  if (maxLimit !== null) await list.requestPage({ ...newest, limit: maxLimit });
}

async function queryAfterNewest(list: PageRequester, ids: readonly string[]): Promise<{ after?: string }> {
  const shown = await list.requestPage({ limit: 100 });
  const after = shown.find((id) => ids.includes(id));
  return after === undefined ? {} : { after };
}
