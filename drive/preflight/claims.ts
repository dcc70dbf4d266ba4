import { claimsNamed, type RefusedKey, type RefusedQuestions } from '../../exchange/claims.ts';
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
import { candidatesFor } from './models.ts';
import { isUnknownPath, type PreflightClient, responseShape } from './preflight-client.ts';
import { ROLE_SEARCHES } from './trials.ts';

/** The families and operations that a run judges, and how they were found. All other requirements stay untested. */
export type Claims = TraceHeader['claims'];

/** Claims that may have been found by requests. */
export interface FoundClaims extends Claims {
  /** Absent if nothing was refused or no request was sent. */
  readonly refused?: RefusedQuestions;
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
  if (claim !== 'auto') return { ...claimsNamed(claim), how: 'given' };
  const offers = await harmlessFirst(families(), (family) => offerOf(family, preflight));
  const answers = families().map((family, i) => ({ family, offer: offers[i] ?? 'missing' }));
  const found = answers.filter(({ offer }) => offer !== 'missing').map(({ family }) => family);
  const hidden = answers.flatMap(({ family, offer }) =>
    typeof offer === 'number' ? [{ family, status: offer }] : [],
  );
  const [first] = hidden;
  if (first === undefined) return { families: found, how: 'auto' };
  const refused = { status: first.status, families: hidden.map(({ family }) => family) };
  return { families: found, how: 'auto', refused };
}

/** Whether every family or operation answers with the 404 of an unknown path: then the base URL is wrong. */
export async function offersNothing(names: readonly string[], preflight: PreflightClient): Promise<boolean> {
  const unknown = await harmlessFirst(names, (name) => hasUnknownPath(name, preflight));
  return unknown.every((one) => one !== false);
}

/** The families and operations that answer with the 404 of an unknown path. */
export async function notOffered(
  names: readonly string[],
  preflight: PreflightClient,
): Promise<readonly string[]> {
  const unknown = await harmlessFirst(names, (name) => hasUnknownPath(name, preflight));
  return names.filter((_, i) => unknown[i] === true);
}

/**
 * Asks about each name: first, concurrently, with a valid request if there is one, then one at a time with a
 * malformed one.
 */
async function harmlessFirst<T>(
  names: readonly string[],
  ask: (name: string) => Promise<T>,
): Promise<readonly T[]> {
  const isMalformed = (name: string) => questionFor(name)?.operation.method === 'POST';
  const answers = new Map<string, T>();
  const put = async (name: string) => void answers.set(name, await ask(name));
  await Promise.all(names.filter((name) => !isMalformed(name)).map(put));
  for (const name of names.filter(isMalformed)) await put(name);
  // as: every name has an answer by now
  return names.map((name) => answers.get(name) as T);
}

/** The roles whose smallest request shows whether the operation is offered. Other trials cost too much for that. */
const CHEAP_ROLES = ['chat', 'completion', 'moderation'] as const;

/** Whether a service executes a valid request of the operation, with the model that would be tried first. */
async function carriesOut({ id }: Operation, preflight: PreflightClient): Promise<boolean> {
  const role = CHEAP_ROLES.find((one) => ROLE_SEARCHES[one].operation === id);
  if (role === undefined || !preflight.allows(ROLE_SEARCHES[role].cost)) return false;
  const [model] = candidatesFor(ROLE_SEARCHES[role], preflight.models ?? []);
  if (model === undefined) return false;
  const status = (await preflight.ask(id, ROLE_SEARCHES[role].input(model))).response?.status ?? 0;
  return status >= 200 && status <= 299;
}

/** Whether the probing request of a family or operation gets the 404 of an unknown path; null if there is no such request. */
async function hasUnknownPath(name: string, preflight: PreflightClient): Promise<boolean | null> {
  const question = questionFor(name);
  if (question === null) return null;
  // An unknown object gets 404 on an existing path as well.
  if (question.operation.path.includes('{')) return false;
  if (await carriesOut(question.operation, preflight)) return false;
  const answer = await preflight.ask(question.operation.id, question.input);
  return isUnknownPath(answer, await preflight.unknownPath(question.operation.method));
}

/** A request that probes a family. */
interface Question {
  readonly operation: Operation;
  readonly input: CallInput;
}

/** Whether a target has a family or operation; the status if it rejects the key before it looks at the path. */
type Offer = 'offered' | 'missing' | number;

async function offerOf(family: FamilyName, preflight: PreflightClient): Promise<Offer> {
  const question = questionFor(family);
  if (question === null) return 'missing';
  const { operation, input } = question;
  if (await carriesOut(operation, preflight)) return 'offered';
  const answer = await preflight.ask(operation.id, input);
  const unknown = await preflight.unknownPath(operation.method);
  const shown = offerShown(answer, unknown, operation);
  if (shown !== 'unclear') return shown;
  return (await rejectsMethod(question, preflight)) ? 'offered' : 'missing';
}

/**
 * What a response shows. The 404 of an unknown path is unclear for an object that does not exist. A target that also
 * rejects the key on an unknown path shows nothing: the result is the status.
 */
function offerShown(
  answer: IncomingResponse,
  unknown: IncomingResponse,
  operation: Operation,
): Offer | 'unclear' {
  const { response } = answer;
  if (response === null || response.status === 405 || response.status === 501) return 'missing';
  const isGeneric = responseShape(answer) === responseShape(unknown);
  if (response.status === 401 || response.status === 403) return isGeneric ? response.status : 'offered';
  if (response.status === 404) {
    // A service that looks up the model first answers 404 because the request names none.
    if (operation.method === 'POST' && !isGeneric && UNKNOWN_MODEL.test(response.body.text ?? ''))
      return 'offered';
    if (operation.method === 'POST' || !operation.path.includes('{')) return 'missing';
    return isGeneric ? 'unclear' : 'offered';
  }
  if (isGeneric || (response.status >= 400 && UNSUPPORTED.test(response.body.text ?? ''))) return 'missing';
  return 'offered';
}

/**
 * Whether the response shows that the target does not have the operation. `known`: an input whose objects exist, so
 * that the 404 of an unknown path decides; null if the object does not exist.
 */
async function showsMissing(
  operation: Operation,
  known: CallInput | null,
  preflight: PreflightClient,
): Promise<boolean> {
  const question = questionFor(operation.id);
  if (question === null) return false;
  const answer = await preflight.ask(operation.id, known ?? question.input);
  // Without a response the operation stays claimed: the run shows why.
  if (answer.response === null) return false;
  const unknown = await preflight.unknownPath(operation.method);
  if (known !== null) return isUnknownPath(answer, unknown) || [405, 501].includes(answer.response.status);
  return offerShown(answer, unknown, operation) === 'missing' && !operation.path.includes('{');
}

/** Whether the path exists: it answers 405 to a method that it does not have, and an unknown path does not. */
async function rejectsMethod({ operation, input }: Question, preflight: PreflightClient): Promise<boolean> {
  const [answer, unknown] = await Promise.all([
    preflight.ask(operation.id, input, 'PUT'),
    preflight.unknownPath('PUT'),
  ]);
  return answer.response?.status === 405 && unknown.response?.status !== 405;
}

/**
 * The request that probes a family or operation: a list if possible, else an invalid body, else an object that does
 * not exist.
 */
function questionFor(name: string): Question | null {
  const own = operations().flatMap((operation) => {
    const variant = operation.variants.find(({ family }) => family === name || operation.id === name);
    return variant === undefined ? [] : [{ operation, variant }];
  });
  const best = own.toSorted((a, b) => rank(a.operation) - rank(b.operation))[0];
  if (best === undefined || best.operation.method === 'DELETE') return null;
  return { operation: best.operation, input: harmless(best.operation, best.variant) };
}

/** Preference among the operations of a family: lists, creations, single objects. */
function rank({ method, path }: Operation): number {
  const isWhole = !path.includes('{');
  if (method === 'GET') return isWhole ? 0 : 2;
  if (method === 'POST') return isWhole ? 1 : 3;
  return 4;
}

/** An input that creates no resource. */
function harmless(operation: Operation, variant: Variant): CallInput {
  const names = operation.path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const path = Object.fromEntries(names.map((name) => [name, 'assay-no-such-id']));
  const version = variant.name === 'only' ? {} : { variant: variant.name };
  // An array in place of the object that every operation requires.
  const body =
    operation.method === 'POST' ? (variant.body?.carrier === 'json' ? { body: [] } : { form: [] }) : {};
  return { path, ...version, ...body };
}

/** A 404 about the model of a request. */
const UNKNOWN_MODEL = /\bmodel(?:_not_found)?\b/i;
/** Messages that reject an unknown operation without 404, 405 or 501. "Invalid path" or "url" usually means a value in the request. */
const UNSUPPORTED =
  /\b(?:unsupported|unknown|unimplemented|invalid) (?:endpoint|operation|route)\b(?! param)|\b(?:endpoint|operation|route|path|url|api)\b[^.]{0,40}\bnot (?:supported|implemented|available)\b/i;

/** The claims of a run that found its families by requests. */
export interface NarrowedClaims {
  readonly claims: Claims;
  /** Operations that no scenario exercises at the allowed cost, with the cost classes that they need. */
  readonly unaffordable: readonly { readonly operation: string; readonly allow: readonly CostClass[] }[];
  /** Families that could not be decided because the target refused the key; null for none. */
  readonly refused: RefusedKey | null;
}

/** The facts that decide which operations of a family are judged. */
interface Narrowing {
  readonly configuration: RunConfiguration;
  readonly scenarios: readonly Scenario[];
  readonly preflight: PreflightClient;
}

/**
 * Narrows families that were found by requests to the operations that the target offers and the run can exercise: a
 * server that lists models but trains none is judged only on what it has. A family that lacks no operation stays
 * whole.
 */
export async function narrowClaims(found: FoundClaims, narrowing: Narrowing): Promise<NarrowedClaims> {
  const parts = await Promise.all(found.families.map((family) => partOf(family, narrowing)));
  const names = parts.flatMap(({ names }) => names);
  return {
    claims: { ...claimsNamed(names), how: found.how },
    unaffordable: parts.flatMap(({ unaffordable }) => unaffordable),
    refused: found.refused === undefined ? null : { ...found.refused, ...keyOf(narrowing.configuration) },
  };
}

function keyOf({ apiKey, keyVariable }: RunConfiguration): Pick<RefusedKey, 'keyVariable' | 'key'> {
  return { keyVariable, key: apiKey === null ? 'none' : 'sent' };
}

/** The name of a family, or the names of the operations to which it is narrowed. */
async function partOf(
  family: string,
  { configuration, scenarios, preflight }: Narrowing,
): Promise<Pick<NarrowedClaims, 'unaffordable'> & { readonly names: readonly string[] }> {
  const all = operations().filter(({ variants }) => variants.some((one) => one.family === family));
  // An operation with two variants belongs to two families, and its name would claim both.
  if (all.some(({ variants }) => variants.length > 1)) return { names: [family], unaffordable: [] };
  const unaffordable = all.flatMap(({ id }) => {
    const allow = missingCosts(id, scenarios, configuration.allow);
    return allow === null ? [] : [{ operation: id, allow }];
  });
  const affordable = all.filter(({ id }) => !unaffordable.some(({ operation }) => operation === id));
  const missing = await Promise.all(affordable.map((one) => isMissing(one, preflight)));
  const offered = affordable.filter((_, i) => missing[i] === false).map(({ id }) => id);
  return { names: offered.length === all.length ? [family] : offered, unaffordable };
}

/** Whether the target lacks an operation of a family that it offers. Only GET requests are sent to find out. */
async function isMissing(operation: Operation, preflight: PreflightClient): Promise<boolean> {
  if (operation.method !== 'GET') return false;
  // A listed model exists, so the response is about the operation.
  const model = operation.id === 'retrieveModel' ? preflight.models?.[0] : undefined;
  return showsMissing(operation, model === undefined ? null : { path: { model } }, preflight);
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
