import { decodedContent } from '../../exchange/http/content.ts';
import { isKeyRefusal } from '../../exchange/key-refusal.ts';
import { type FamilyName, type Operation, operations, type Variant } from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import type { CallInput } from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import {
  isClosedUnanswered,
  isUnknownPath,
  type PreflightClient,
  responseShape,
} from './preflight-client.ts';
import { candidatesFor, ROLE_SEARCHES } from './role-searches.ts';

/** `limited`: the target responds with 429. */
export type OperationOffer = 'offered' | 'missing' | 'limited';
/** A number is the status with which the target rejects the key before it looks at the path. */
type Offer = OperationOffer | number;

interface OfferProbe {
  readonly operation: Operation;
  readonly input: CallInput;
}

const CHEAP_ROLES = ['chat', 'completion', 'moderation'] as const;
const UNKNOWN_MODEL_TEXT = /\bmodel(?:_not_found)?\b/i;
/** Rejections of an unknown operation without 404, 405 or 501. "Invalid path" usually means a value in the request. */
const UNSUPPORTED_TEXT =
  /\b(?:unsupported|unknown|unimplemented|invalid) (?:endpoint|operation|route)\b(?! param)|\b(?:endpoint|operation|route|path|url|api)\b[^.]{0,40}\bnot (?:supported|implemented|available)\b/i;

/**
 * Whether every probed family or operation responds with the 404 of an unknown path: then the base URL is wrong. Names
 * whose paths all need an id count as offered, unless they are claimed only because all families are.
 */
export async function offersNothing(
  claimed: readonly string[],
  preflight: PreflightClient,
  isWholeApi = false,
): Promise<boolean> {
  const names = claimed.filter((name) => !isWholeApi || !probeFor(name)?.operation.path.includes('{'));
  const results = await probeEach(names, (name) => hasUnknownPath(name, preflight));
  return results.every((isUnknown) => isUnknown !== false);
}

/**
 * The status with which the target refuses the key whatever the run would send, or null. A key may permit only reading,
 * or only some operations, so one GET and one POST of each claimed family or operation must be refused as well, and
 * cheap valid requests with the configured or searched models: a gateway may answer 403 to a request that names no
 * model.
 */
export async function findRefusalOfAll(
  claimed: readonly string[],
  { models, modelSearch }: Pick<RunConfiguration, 'models' | 'modelSearch'>,
  preflight: PreflightClient,
): Promise<number | null> {
  const { status } = preflight;
  if (!isKeyRefusal(status)) return null;
  const probes = claimed.map((name) => ({ get: probeFor(name, 'GET'), post: probeFor(name, 'POST') }));
  // DELETE is not tried, so nothing is known of an operation that has no other method.
  if (probes.length === 0 || probes.some(({ get, post }) => get === null && post === null)) return null;
  const isRefused = async ({ operation, input }: OfferProbe): Promise<boolean> =>
    isKeyRefusal((await preflight.ask(operation.id, input)).response?.status);
  const reads = await Promise.all(probes.flatMap(({ get }) => get ?? []).map(isRefused));
  if (reads.includes(false)) return null;
  const validProbes = CHEAP_ROLES.flatMap((role): readonly OfferProbe[] => {
    const { operation: id, cost, input } = ROLE_SEARCHES[role];
    const searched = modelSearch.roles.includes(role) ? modelSearch.candidates?.[0] : undefined;
    const model = searched ?? models[role];
    const operation = operations().find((one) => one.id === id && isClaimed(one, claimed));
    if (model === undefined || operation === undefined || !preflight.allows(cost)) return [];
    return [{ operation, input: input(model) }];
  });
  for (const probe of [...probes.flatMap(({ post }) => post ?? []), ...validProbes])
    if (!(await isRefused(probe))) return null;
  return status;
}

function isClaimed({ id, variants }: Operation, claimed: readonly string[]): boolean {
  return claimed.includes(id) || variants.some(({ family }) => claimed.includes(family));
}

export async function findUnoffered(
  names: readonly string[],
  preflight: PreflightClient,
): Promise<readonly string[]> {
  const results = await probeEach(names, (name) => hasUnknownPath(name, preflight));
  return names.filter((_, i) => results[i] === true);
}

/** Probes names with a harmless GET concurrently, then the others, whose request may be malformed, one at a time. */
export async function probeEach<T>(
  names: readonly string[],
  probe: (name: string) => Promise<T>,
): Promise<readonly T[]> {
  const isMalformed = (name: string) => probeFor(name)?.operation.method === 'POST';
  const results = new Map<string, T>();
  const probeOne = async (name: string): Promise<void> => {
    results.set(name, await probe(name));
  };
  await Promise.all(names.filter((name) => !isMalformed(name)).map(probeOne));
  for (const name of names.filter(isMalformed)) await probeOne(name);
  // as: every name has a result by now
  return names.map((name) => results.get(name) as T);
}

async function acceptsValidRequest({ id }: Operation, preflight: PreflightClient): Promise<boolean> {
  const role = CHEAP_ROLES.find((name) => ROLE_SEARCHES[name].operation === id);
  if (role === undefined || !preflight.allows(ROLE_SEARCHES[role].cost)) return false;
  const [model] = candidatesFor(ROLE_SEARCHES[role], preflight.models ?? []);
  if (model === undefined) return false;
  const status = (await preflight.ask(id, ROLE_SEARCHES[role].input(model))).response?.status ?? 0;
  return status >= 200 && status <= 299;
}

async function hasUnknownPath(name: string, preflight: PreflightClient): Promise<boolean | null> {
  const probe = probeFor(name);
  if (probe === null) return null;
  // An unknown object gets 404 on an existing path as well.
  if (probe.operation.path.includes('{')) return false;
  if (await acceptsValidRequest(probe.operation, preflight)) return false;
  const answer = await preflight.ask(probe.operation.id, probe.input);
  return isUnknownPath(answer, await preflight.fetchUnknownPath(probe.operation.method));
}

export async function findOffer(
  family: FamilyName,
  preflight: PreflightClient,
  version: 'v1' | 'v2' | null,
): Promise<Offer> {
  const probe = probeFor(family);
  if (probe === null) return 'missing';
  const { operation } = probe;
  const isVersioned = version !== null && operation.variants[0]?.beta != null;
  const input = isVersioned ? { ...probe.input, variant: version } : probe.input;
  if (await acceptsValidRequest(operation, preflight)) return 'offered';
  const answer = await preflight.ask(operation.id, input);
  const unknown = await preflight.fetchUnknownPath(operation.method);
  const offer = classifyOffer(answer, unknown, operation);
  if (offer !== 'unclear') return offer;
  return (await rejectsMethod(probe, preflight)) ? 'offered' : 'missing';
}

/**
 * The offer that a response shows; `unclear` if an object that does not exist gets the 404 of an unknown path. A target
 * that also rejects the key on an unknown path shows nothing: the result is the status.
 */
function classifyOffer(
  answer: IncomingResponse,
  unknown: IncomingResponse,
  operation: Operation,
): Offer | 'unclear' {
  const { response } = answer;
  // The service crashed on the request, or closed the connection, but responds to other requests.
  if (isClosedUnanswered(answer) && unknown.response !== null) return 'offered';
  if (response === null || response.status === 405 || response.status === 501) return 'missing';
  if (response.status === 429) return 'limited';
  const text = decodedContent(response)?.text ?? '';
  const isGeneric = responseShape(answer) === responseShape(unknown);
  if (response.status === 401 || response.status === 403) return isGeneric ? response.status : 'offered';
  if (response.status === 404) {
    // A service that looks up the model first responds with 404 because the request names none.
    if (operation.method === 'POST' && !isGeneric && UNKNOWN_MODEL_TEXT.test(text)) return 'offered';
    if (operation.method === 'POST' || !operation.path.includes('{')) return 'missing';
    return isGeneric ? 'unclear' : 'offered';
  }
  return isGeneric || (response.status >= 400 && UNSUPPORTED_TEXT.test(text)) ? 'missing' : 'offered';
}

export async function findOperationOffer(
  operation: Operation,
  preflight: PreflightClient,
): Promise<OperationOffer> {
  const probe = operation.method === 'GET' ? probeFor(operation.id) : null;
  if (probe === null) return 'offered';
  // A listed model exists, so a 404 of an unknown path means that the operation is missing.
  const model = operation.id === 'retrieveModel' ? preflight.models?.[0] : undefined;
  const input = model === undefined ? probe.input : { path: { model } };
  const answer = await preflight.ask(operation.id, input);
  // Without a response the operation stays claimed: the run shows why.
  if (answer.response === null) return 'offered';
  const unknown = await preflight.fetchUnknownPath(operation.method);
  const { status } = answer.response;
  if (status === 429) return 'limited';
  const isMissing =
    model !== undefined
      ? isUnknownPath(answer, unknown) || status === 405 || status === 501
      : classifyOffer(answer, unknown, operation) === 'missing' && !operation.path.includes('{');
  return isMissing ? 'missing' : 'offered';
}

/** Whether PUT shows that the path exists: it gets 405 there, and another status at an unknown path. */
async function rejectsMethod({ operation, input }: OfferProbe, preflight: PreflightClient): Promise<boolean> {
  const [answer, unknown] = await Promise.all([
    preflight.ask(operation.id, input, 'PUT'),
    preflight.fetchUnknownPath('PUT'),
  ]);
  return answer.response?.status === 405 && unknown.response?.status !== 405;
}

function probeFor(name: string, method: Operation['method'] | null = null): OfferProbe | null {
  const candidates = operations().flatMap((operation) => {
    const variant = operation.variants.find(({ family }) => family === name || operation.id === name);
    const isCandidate = variant !== undefined && (method === null || operation.method === method);
    return isCandidate ? [{ operation, variant }] : [];
  });
  const best = candidates.toSorted((a, b) => probeRank(a.operation) - probeRank(b.operation))[0];
  if (best === undefined || best.operation.method === 'DELETE') return null;
  return { operation: best.operation, input: harmlessInput(best.operation, best.variant) };
}

function probeRank({ method, path }: Operation): number {
  const hasParameters = path.includes('{');
  if (method === 'GET') return hasParameters ? 2 : 0;
  if (method === 'POST') return hasParameters ? 3 : 1;
  return 4;
}

function harmlessInput(operation: Operation, variant: Variant): CallInput {
  const names = operation.path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const path = Object.fromEntries(names.map((name) => [name, 'assay-no-such-id']));
  const input = { path, ...(variant.name !== 'only' && { variant: variant.name }) };
  if (operation.method !== 'POST') return input;
  // An array is invalid: every operation requires an object.
  return variant.body?.carrier === 'json' ? { ...input, body: [] } : { ...input, form: [] };
}
