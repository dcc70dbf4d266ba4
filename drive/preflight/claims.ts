import {
  type ClaimedNames,
  claimsNamed,
  type RefusedKey,
  type RefusedQuestions,
} from '../../exchange/claims.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import {
  type CostClass,
  type FamilyName,
  families,
  type Operation,
  operations,
  type Variant,
} from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import type { CallInput, Scenario } from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import { candidatesFor, ROLE_SEARCHES } from './models.ts';
import { closedUnanswered, isUnknownPath, type PreflightClient, responseShape } from './preflight-client.ts';

/** The families and operations that a run judges, and how they were found. All other requirements stay untested. */
export type Claims = TraceHeader['claims'];

/** Claims that may have been found by requests. */
export interface FoundClaims extends Claims {
  /** Absent if nothing was refused or no request was sent. */
  readonly refused?: RefusedQuestions;
  /** Families that are not claimed because their requests always got 429; absent for none. */
  readonly limited?: readonly string[];
}

/**
 * Resolves the claim of a run. `auto` sends one or two cheap requests per family, which create nothing, and compares
 * the responses with the response to an unknown path. Malformed requests, which a service may not survive, come
 * last, one at a time, and only for families that no valid request has shown to be offered. A family that cannot be
 * decided, because the target rejects the key, is claimed, so that no run passes without it; it is listed in
 * `refused`.
 */
export async function resolveClaims(
  claim: RunConfiguration['claim'],
  preflight: PreflightClient,
): Promise<FoundClaims> {
  if (claim === 'all') return { families: families(), how: 'default' };
  if (claim !== 'auto') return { ...(await addServedVersion(claimsNamed(claim), preflight)), how: 'given' };
  const version = await findServedVersion(preflight);
  const offers = await probeEach(families(), (family) => findOffer(family, preflight, version));
  const results = families().map((family, i) => ({ family, offer: offers[i] ?? 'missing' }));
  const missing = new Set(results.flatMap(({ family, offer }) => (offer === 'missing' ? [family] : [])));
  const reachable = results.filter(({ family }) => !ownersOf(family).some((owner) => missing.has(owner)));
  const offered = reachable.filter(({ offer }) => !NOT_CLAIMED.includes(offer)).map(({ family }) => family);
  const limited = reachable.filter(({ offer }) => offer === 'limited').map(({ family }) => family);
  const undecided = reachable.flatMap(({ family, offer }) =>
    typeof offer === 'number' ? [{ family, status: offer }] : [],
  );
  const [first] = undecided;
  return {
    families: offered,
    ...(version !== null && { version }),
    how: 'auto',
    ...(limited.length > 0 && { limited }),
    ...(first !== undefined && {
      refused: { status: first.status, families: undecided.map(({ family }) => family) },
    }),
  };
}

const NOT_CLAIMED: readonly Offer[] = ['missing', 'limited'];

type Version = NonNullable<Claims['version']>;

/** Families that the specification describes in one version only, but services serve in both. */
const FAMILIES_IN_BOTH_VERSIONS: ReadonlySet<string> = new Set(['threads', 'messages', 'runs', 'run-steps']);

/** The claims with the version that the target serves. A family of the other version is kept, and reported as missing. */
async function addServedVersion(claims: ClaimedNames, preflight: PreflightClient): Promise<ClaimedNames> {
  const versions = claims.families.map((family) => versionOf(family) ?? 'both');
  if (!claims.families.some((family) => FAMILIES_IN_BOTH_VERSIONS.has(family))) return claims;
  const version = await findServedVersion(preflight);
  return version === null || versions.some((one) => one !== 'both' && one !== version)
    ? claims
    : { ...claims, version };
}

/** The only version in which the specification describes a family, unless services serve it in both; null for no version. */
function versionOf(family: string): Version | null {
  if (FAMILIES_IN_BOTH_VERSIONS.has(family)) return null;
  const variants = operations().flatMap((one) => one.variants.filter((other) => other.family === family));
  const betas = new Set(variants.map(({ beta }) => beta));
  const [beta] = betas;
  return beta == null || betas.size > 1 ? null : beta === 'assistants=v1' ? 'v1' : 'v2';
}

/** Read-only requests that a target answers equally in both versions, if it serves both. */
const VERSION_PROBES: readonly (readonly [operation: string, input: CallInput])[] = [
  ['listAssistants', { query: { limit: 1 } }],
  ['retrieveThread', { path: { thread_id: 'assay-no-such-id' } }],
  ['listMessages', { path: { thread_id: 'assay-no-such-id' } }],
];

/** The version that a target serves, if it refuses every request in the other one; null if it serves both, or none. */
async function findServedVersion(preflight: PreflightClient): Promise<Version | null> {
  const served = await Promise.all(
    VERSION_PROBES.map(async ([operation, input]) => {
      const [v1, v2] = await Promise.all([
        preflight.ask(operation, { ...input, variant: 'v1' }),
        preflight.ask(operation, { ...input, variant: 'v2' }),
      ]);
      const [first, second] = [v1, v2].map((answer) => answer.response?.status ?? 0);
      if (isServed(first, operation) && isServed(second, operation)) return 'both';
      if (isServed(second, operation) && isRefused(first)) return 'v2';
      return isServed(first, operation) && isRefused(second) ? 'v1' : null;
    }),
  );
  const [version, ...others] = new Set(served.filter((one) => one !== null));
  return version === undefined || version === 'both' || others.length > 0 ? null : version;
}

/** Whether a request was processed: a list was returned, or an unknown object was looked up. */
function isServed(status: number | undefined, operation: string): boolean {
  return status === 200 || (status === 404 && operation !== 'listAssistants');
}

function isRefused(status = 0): boolean {
  return status >= 400 && status <= 499 && ![401, 403, 408, 429].includes(status);
}

/**
 * The families whose ids appear in the paths of a family, so that it cannot be requested without them: vector stores for their
 * files.
 */
function ownersOf(family: FamilyName): readonly FamilyName[] {
  const own = operations().flatMap(({ path, variants }) =>
    variants.filter((one) => one.counted && one.family === family).map(({ beta }) => ({ path, beta })),
  );
  const roots = own.map(({ path, beta }) => ({ root: path.slice(0, path.indexOf('/{')), beta }));
  if (own.some(({ path }) => !path.includes('/{'))) return [];
  const owners = roots.flatMap(({ root, beta }) =>
    operations()
      .filter(({ method, path }) => method === 'POST' && path === root)
      .flatMap(({ variants }) => variants.find((one) => one.beta === beta) ?? variants.slice(0, 1)),
  );
  return [...new Set(owners.map((one) => one.family))].filter((owner) => owner !== family);
}

/** Whether every family or operation responds with the 404 of an unknown path: then the base URL is wrong. */
export async function offersNothing(names: readonly string[], preflight: PreflightClient): Promise<boolean> {
  const unknown = await probeEach(names, (name) => hasUnknownPath(name, preflight));
  return unknown.every((one) => one !== false);
}

/** The families and operations that respond with the 404 of an unknown path. */
export async function findUnoffered(
  names: readonly string[],
  preflight: PreflightClient,
): Promise<readonly string[]> {
  const unknown = await probeEach(names, (name) => hasUnknownPath(name, preflight));
  return names.filter((_, i) => unknown[i] === true);
}

/** Probes each name: concurrently by a valid request if there is one, then one at a time by a malformed one. */
async function probeEach<T>(
  names: readonly string[],
  probe: (name: string) => Promise<T>,
): Promise<readonly T[]> {
  const isMalformed = (name: string) => probeFor(name)?.operation.method === 'POST';
  const answers = new Map<string, T>();
  const store = async (name: string) => void answers.set(name, await probe(name));
  await Promise.all(names.filter((name) => !isMalformed(name)).map(store));
  for (const name of names.filter(isMalformed)) await store(name);
  // as: every name has an answer by now
  return names.map((name) => answers.get(name) as T);
}

/** The roles whose smallest request is cheap enough to show whether the operation is offered. */
const CHEAP_ROLES = ['chat', 'completion', 'moderation'] as const;

/** Whether a service executes a valid request of the operation, with the model that would be tried first. */
async function isExecuted({ id }: Operation, preflight: PreflightClient): Promise<boolean> {
  const role = CHEAP_ROLES.find((one) => ROLE_SEARCHES[one].operation === id);
  if (role === undefined || !preflight.allows(ROLE_SEARCHES[role].cost)) return false;
  const [model] = candidatesFor(ROLE_SEARCHES[role], preflight.models ?? []);
  if (model === undefined) return false;
  const status = (await preflight.ask(id, ROLE_SEARCHES[role].input(model))).response?.status ?? 0;
  return status >= 200 && status <= 299;
}

/** Whether the probing request of a family or operation gets the 404 of an unknown path; null if there is no such request. */
async function hasUnknownPath(name: string, preflight: PreflightClient): Promise<boolean | null> {
  const question = probeFor(name);
  if (question === null) return null;
  // An unknown object gets 404 on an existing path as well.
  if (question.operation.path.includes('{')) return false;
  if (await isExecuted(question.operation, preflight)) return false;
  const answer = await preflight.ask(question.operation.id, question.input);
  return isUnknownPath(answer, await preflight.unknownPath(question.operation.method));
}

interface OfferProbe {
  readonly operation: Operation;
  readonly input: CallInput;
}

/**
 * `limited`: the target responds with 429. A number is the status with which it rejects the key before it looks at the path.
 */
type Offer = OperationOffer | number;

type OperationOffer = 'offered' | 'missing' | 'limited';

async function findOffer(
  family: FamilyName,
  preflight: PreflightClient,
  version: Version | null,
): Promise<Offer> {
  const question = probeFor(family);
  if (question === null) return 'missing';
  const onlyVersion = versionOf(family);
  if (version !== null && onlyVersion !== null && onlyVersion !== version) return 'missing';
  const { operation } = question;
  const isVersioned = version !== null && operation.variants[0]?.beta != null;
  const input = isVersioned ? { ...question.input, variant: version } : question.input;
  if (await isExecuted(operation, preflight)) return 'offered';
  const answer = await preflight.ask(operation.id, input);
  const unknown = await preflight.unknownPath(operation.method);
  const shown = offerShown(answer, unknown, operation);
  if (shown !== 'unclear') return shown;
  return (await rejectsMethod(question, preflight)) ? 'offered' : 'missing';
}

/**
 * The offer that a response shows. The 404 of an unknown path is unclear for an object that does not exist. A target that also
 * rejects the key on an unknown path shows nothing: the result is the status.
 */
function offerShown(
  answer: IncomingResponse,
  unknown: IncomingResponse,
  operation: Operation,
): Offer | 'unclear' {
  const { response } = answer;
  // The service crashed on a malformed request, or dropped it; it responds to others.
  if (closedUnanswered(answer) && unknown.response !== null) return 'offered';
  if (response === null || response.status === 405 || response.status === 501) return 'missing';
  if (response.status === 429) return 'limited';
  const isGeneric = responseShape(answer) === responseShape(unknown);
  if (response.status === 401 || response.status === 403) return isGeneric ? response.status : 'offered';
  if (response.status === 404) {
    // A service that looks up the model first responds with 404 because the request names none.
    if (operation.method === 'POST' && !isGeneric && UNKNOWN_MODEL_TEXT.test(response.body.text ?? ''))
      return 'offered';
    if (operation.method === 'POST' || !operation.path.includes('{')) return 'missing';
    return isGeneric ? 'unclear' : 'offered';
  }
  if (isGeneric || (response.status >= 400 && UNSUPPORTED_TEXT.test(response.body.text ?? '')))
    return 'missing';
  return 'offered';
}

/** Whether a target has an operation of a family that it offers, as far as GET requests show; `limited` if 429 hides it. */
async function findOperationOffer(operation: Operation, preflight: PreflightClient): Promise<OperationOffer> {
  const question = operation.method === 'GET' ? probeFor(operation.id) : null;
  if (question === null) return 'offered';
  // A listed model exists, so the response is about the operation, and the 404 of an unknown path decides.
  const model = operation.id === 'retrieveModel' ? preflight.models?.[0] : undefined;
  const input = model === undefined ? question.input : { path: { model } };
  const answer = await preflight.ask(operation.id, input);
  // Without a response the operation stays claimed: the run shows why.
  if (answer.response === null) return 'offered';
  const unknown = await preflight.unknownPath(operation.method);
  const { status } = answer.response;
  if (status === 429) return 'limited';
  const isMissing =
    model !== undefined
      ? isUnknownPath(answer, unknown) || status === 405 || status === 501
      : offerShown(answer, unknown, operation) === 'missing' && !operation.path.includes('{');
  return isMissing ? 'missing' : 'offered';
}

/** Whether the path exists: the target responds to PUT with 405, which it does not for an unknown path. */
async function rejectsMethod({ operation, input }: OfferProbe, preflight: PreflightClient): Promise<boolean> {
  const [answer, unknown] = await Promise.all([
    preflight.ask(operation.id, input, 'PUT'),
    preflight.unknownPath('PUT'),
  ]);
  return answer.response?.status === 405 && unknown.response?.status !== 405;
}

/** The request that probes a family or operation: a list, else an invalid body, else an object that does not exist. */
function probeFor(name: string): OfferProbe | null {
  const own = operations().flatMap((operation) => {
    const variant = operation.variants.find(({ family }) => family === name || operation.id === name);
    return variant === undefined ? [] : [{ operation, variant }];
  });
  const best = own.toSorted((a, b) => probeRank(a.operation) - probeRank(b.operation))[0];
  if (best === undefined || best.operation.method === 'DELETE') return null;
  return { operation: best.operation, input: harmlessInput(best.operation, best.variant) };
}

function probeRank({ method, path }: Operation): number {
  const isWhole = !path.includes('{');
  if (method === 'GET') return isWhole ? 0 : 2;
  if (method === 'POST') return isWhole ? 1 : 3;
  return 4;
}

function harmlessInput(operation: Operation, variant: Variant): CallInput {
  const names = operation.path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const path = Object.fromEntries(names.map((name) => [name, 'assay-no-such-id']));
  const version = variant.name === 'only' ? {} : { variant: variant.name };
  // An array instead of the object that every operation requires.
  const body =
    operation.method === 'POST' ? (variant.body?.carrier === 'json' ? { body: [] } : { form: [] }) : {};
  return { path, ...version, ...body };
}

/** A 404 about the model of a request. */
const UNKNOWN_MODEL_TEXT = /\bmodel(?:_not_found)?\b/i;
/** Messages that reject an unknown operation without 404, 405 or 501. "Invalid path" or "url" usually means a value in the request. */
const UNSUPPORTED_TEXT =
  /\b(?:unsupported|unknown|unimplemented|invalid) (?:endpoint|operation|route)\b(?! param)|\b(?:endpoint|operation|route|path|url|api)\b[^.]{0,40}\bnot (?:supported|implemented|available)\b/i;

/** The claims of a run that found its families by requests. */
export interface NarrowedClaims {
  /** Families that the target offers whole, and the offered operations of the others. */
  readonly claims: Claims;
  /** Operations that no scenario exercises at the allowed cost, with the cost classes that they need. */
  readonly unaffordable: readonly UnaffordableOperation[];
  /** Families that could not be decided because the target refused the key; null for none. */
  readonly refused: RefusedKey | null;
  /** Families and single operations that are not claimed because the target responded with 429; empty for none. */
  readonly limited: readonly string[];
}

interface UnaffordableOperation {
  readonly operation: string;
  readonly allow: readonly CostClass[];
}

interface Narrowing {
  readonly configuration: RunConfiguration;
  readonly scenarios: readonly Scenario[];
  readonly preflight: PreflightClient;
}

/**
 * Narrows detected families to the operations that the target offers and the run can exercise: a server that lists
 * models but trains none is judged only on what it has. A family that lacks no operation stays whole.
 */
export async function narrowClaims(found: FoundClaims, narrowing: Narrowing): Promise<NarrowedClaims> {
  const parts = await Promise.all(found.families.map((family) => narrowFamily(family, narrowing)));
  const { version, how, limited = [], refused } = found;
  const { apiKey, keyVariable } = narrowing.configuration;
  const key = apiKey === null ? 'none' : 'sent';
  return {
    claims: {
      ...claimsNamed(parts.flatMap(({ names }) => names)),
      ...(version !== undefined && { version }),
      how,
    },
    unaffordable: parts.flatMap(({ unaffordable }) => unaffordable),
    limited: [...limited, ...parts.flatMap((part) => part.limited)],
    refused: refused === undefined ? null : { ...refused, keyVariable, key },
  };
}

interface FamilyPart extends Pick<NarrowedClaims, 'unaffordable' | 'limited'> {
  /** The name of the family, or the names of the operations to which it is narrowed. */
  readonly names: readonly string[];
}

async function narrowFamily(
  family: string,
  { configuration, scenarios, preflight }: Narrowing,
): Promise<FamilyPart> {
  const all = operations().filter(({ variants }) => variants.some((one) => one.family === family));
  // An operation with two variants belongs to two families, and its name would claim both.
  if (all.some(({ variants }) => variants.length > 1))
    return { names: [family], unaffordable: [], limited: [] };
  const unaffordable = all.flatMap(({ id }) => {
    const allow = missingCosts(id, scenarios, configuration.allow);
    return allow === null ? [] : [{ operation: id, allow }];
  });
  const affordable = all.filter(({ id }) => !unaffordable.some(({ operation }) => operation === id));
  const offers = await Promise.all(affordable.map((one) => findOperationOffer(one, preflight)));
  const idsWith = (offer: OperationOffer) =>
    affordable.filter((_, i) => offers[i] === offer).map(({ id }) => id);
  const offered = idsWith('offered');
  return {
    names: offered.length === all.length ? [family] : offered,
    unaffordable,
    limited: idsWith('limited'),
  };
}

/** The cost classes that the cheapest scenario of an operation needs beyond the allowed ones; null if none. */
function missingCosts(
  operation: string,
  scenarios: readonly Scenario[],
  allowed: readonly CostClass[],
): readonly CostClass[] | null {
  const needs = scenarios
    .filter(({ operations: own }) => own.includes(operation))
    .map(({ cost }) => cost.filter((one) => one !== 'free' && !allowed.includes(one)))
    .toSorted((a, b) => a.length - b.length);
  const [least] = needs;
  return least === undefined || least.length === 0 ? null : least;
}
