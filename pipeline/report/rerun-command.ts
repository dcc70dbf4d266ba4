import {
  DEFAULT_BETA_HEADER,
  type GateSettings,
  type RunConfiguration,
  specifiedModels,
} from '../../drive/configuration/configuration.ts';
import { KEY_VARIABLES } from '../../drive/configuration/variables.ts';
import { shownByScenario } from '../../drive/scenario/shown-by-scenario.ts';
import { claimedNames } from '../../exchange/claims.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { requestedModel } from '../../explain/rejected-configuration.ts';
import { operationOf } from '../../judge/trace/call.ts';
import { valueAtPath } from '../../judge/trace/json.ts';
import { extensionFlags } from '../../reports/failure/extension-flags.ts';
import { schema } from '../../schemas/index.ts';

/** Keeps the command from overwriting the report that shows it. */
export const SEPARATE_FOLDER_FLAG = ' --report-dir assay-again';

/** The flags that give another run this one's target, models, costs, dialect and extensions, to repeat `exchange`. */
export function rerunFlags(header: TraceHeader, exchange?: Exchange): string {
  const { target, betaHeader, dialect, allow } = header;
  const dialectAndExtensions = `${dialect === null ? '' : ` --dialect ${shellQuote(dialect.name)}`}${extensionFlags()}`;
  // The embedded reference brings its own models and key, and is allowed all costs but `large` by default.
  if (target.name === 'reference')
    return `${allow.includes('large') ? ' --allow large' : ''}${dialectAndExtensions}`;
  // Configured models are spread twice: first to be printed first, then to replace the model of the exchange.
  const models = { ...header.models, ...modelByRole(exchange), ...header.models };
  // By default, a run gives assistants the chat model.
  const defaultModels: Readonly<Record<string, unknown>> = { ...specifiedModels, assistant: models['chat'] };
  const flags = [
    ['--base-url', target.baseUrl],
    ...Object.entries(models)
      .filter(([role, id]) => defaultModels[role] !== id)
      .map(([role, id]) => ['--model', `${role}=${id}`]),
    ...(betaHeader === DEFAULT_BETA_HEADER || dialect !== null ? [] : [['--beta-header', betaHeader]]),
  ];
  // `--allow` adds to the defaults; if `tokens`, a default, was not allowed, `none` makes the list replace them.
  const costs = allow.filter((cost) => cost !== 'free');
  const values = costs.includes('tokens') ? costs.filter((cost) => cost !== 'tokens') : ['none', ...costs];
  if (values.length > 0 && allow.length > 0) flags.push(['--allow', values.join(',')]);
  return `${flags.map(([flag, value]) => ` ${flag} ${shellQuote(value ?? '')}`).join('')}${dialectAndExtensions}`;
}

/** The `--claim` flag; empty if the command makes an equal claim without it. `auto` and `all` count as equal. */
export function claimFlag(
  { claims }: Pick<TraceHeader, 'claims'>,
  { claim = 'all', standingClaim = 'all' }: Partial<Pick<RunConfiguration, 'claim' | 'standingClaim'>>,
): string {
  // Names are repeated only if they were given; the command detects the others again.
  const detected = claims.how === 'auto' ? 'auto' : 'all';
  const tracedClaim = claims.how === 'given' ? claimedNames(claims) : detected;
  const judgedClaim = typeof claim === 'string' ? tracedClaim : claim;
  const namesKey = (one: RunConfiguration['claim']) => (typeof one === 'string' ? null : sortedList(one));
  return namesKey(judgedClaim) === namesKey(standingClaim)
    ? ''
    : ` --claim ${shellQuote([judgedClaim].flat().join(','))}`;
}

/** The flags that give a command the gate of the run; empty if it has this gate without them. */
export function gateFlags({
  standingGate,
  ...gate
}: Partial<GateSettings & Pick<RunConfiguration, 'standingGate'>>): string {
  const { failOn = 'must', tolerate = [], strictBaseline = false, allowInconclusive = false } = gate;
  // An empty list tolerates nothing. The last two flags cannot be switched off, so they are printed only if needed.
  return [
    failOn === (standingGate?.failOn ?? 'must') ? '' : ` --fail-on ${failOn}`,
    sortedList(tolerate) === sortedList(standingGate?.tolerate ?? [])
      ? ''
      : ` --tolerate ${shellQuote(tolerate.join(','))}`,
    strictBaseline && standingGate?.strictBaseline !== true ? ' --strict-baseline' : '',
    allowInconclusive && standingGate?.allowInconclusive !== true ? ' --allow-inconclusive' : '',
  ].join('');
}

function sortedList(names: readonly string[]): string {
  return names.toSorted().join(',');
}

export function keyFlag({ key }: Pick<TraceHeader, 'key'>, keyVariable: string): string {
  return key && !KEY_VARIABLES.includes(keyVariable) ? ` --api-key-env ${shellQuote(keyVariable)}` : '';
}

export function secondKeyFlag(secondKey: { readonly variable: string } | null | undefined): string {
  return secondKey?.variable ? ` --second-key-env ${shellQuote(secondKey.variable)}` : '';
}

/**
 * The flags that judge one requirement alone. --only runs the scenarios meant to show it; a finding from another
 * scenario also needs that scenario. If the finding is in a list of all objects of the organization, any scenario may
 * have created the object at fault: a finding outside such lists (`others`) then selects the scenario, else all run.
 */
export function selectionFlags(
  id: string,
  exchange: Exchange | undefined,
  others: () => readonly (Exchange | undefined)[] = () => [],
): string {
  const scenario = exchange?.scenario ?? null;
  const only = ` --only ${shellQuote(id)}`;
  if (exchange === undefined || scenario === null || shownByScenario(scenario)?.has(id) === true) return only;
  if (!listsSharedObjects(exchange)) return `${only} --scenario ${shellQuote(scenario)}`;
  const other = others().find((one) => one !== undefined && !listsSharedObjects(one));
  return other === undefined ? `${only} --scenario '*'` : selectionFlags(id, other);
}

function listsSharedObjects({ request }: Exchange): boolean {
  return operationOf(request)?.operation.list?.scope === 'organization';
}

/** Maps the model role of an operation to the requested model. Traffic of a proxy has no configured models. */
function modelByRole(exchange: Exchange | undefined): Readonly<Record<string, string>> {
  if (exchange === undefined) return {};
  const variant = operationOf(exchange.request)?.operation.variants[0];
  const bodySchema = variant?.body?.schema;
  if (bodySchema === undefined) return {};
  // as: a schema is JSON
  const role = valueAtPath(schema(bodySchema) as Json, 'properties', 'model', 'x-model-role');
  const id = requestedModel(exchange);
  return typeof role === 'string' && id !== null ? { [role]: id } : {};
}
