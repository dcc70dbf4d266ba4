import type { TraceHeader } from '../../exchange/trace.ts';
import { type FamilyName, families, type Operation, operations, type Variant } from '../../schemas/index.ts';
import type { RunConfiguration } from '../configuration/configuration.ts';
import type { CallInput } from '../scenario/scenario.ts';
import type { IncomingResponse } from '../target/target.ts';
import type { PreflightClient } from './preflight-client.ts';

/** The families that a run judges, and how they were found. */
export interface Claims {
  /** Requirements of other families stay untested. */
  readonly families: readonly FamilyName[];
  readonly how: TraceHeader['claims']['how'];
}

/** Resolves the claim of a run. `auto` sends the target one cheap request for each family, which creates nothing. */
export async function resolveClaims(
  claim: RunConfiguration['claim'],
  preflight: PreflightClient,
): Promise<Claims> {
  if (claim === 'all') return { families: families(), how: 'default' };
  if (claim !== 'auto') return { families: claim, how: 'given' };
  // Routers often answer unknown paths differently by method, so each method has its own sample.
  const unknownPaths = { GET: await preflight.unknownPath('GET'), POST: await preflight.unknownPath('POST') };
  const answers = await Promise.all(
    families().map(async (family) => ({ family, offered: await asks(family) })),
  );
  return { families: answers.filter(({ offered }) => offered).map(({ family }) => family), how: 'auto' };

  /**
   * Whether the target offers a family, by one request. A family without a harmless request counts as not
   * offered.
   */
  async function asks(family: FamilyName): Promise<boolean> {
    const question = questionFor(family);
    if (question === null) return false;
    const { operation, input } = question;
    const answer = await preflight.ask(operation.id, input);
    return isOffered(answer, operation.method === 'POST' ? unknownPaths.POST : unknownPaths.GET, operation);
  }
}

/** Whether each family answers its first request with the same 404 that any unknown path gets: the base URL is wrong. */
export async function offersNothing(
  families: readonly FamilyName[],
  preflight: PreflightClient,
): Promise<boolean> {
  const unknownPaths = { GET: await preflight.unknownPath('GET'), POST: await preflight.unknownPath('POST') };
  const asked = families.map(async (family) => {
    const question = questionFor(family);
    if (question === null) return true;
    const { operation, input } = question;
    // An unknown object gets 404 on a path that exists, too.
    if (operation.path.includes('{')) return false;
    const answer = await preflight.ask(operation.id, input);
    const unknown = operation.method === 'POST' ? unknownPaths.POST : unknownPaths.GET;
    return answer.response?.status === 404 && shape(answer) === shape(unknown);
  });
  return (await Promise.all(asked)).every((isUnknown) => isUnknown);
}

/** The request that probes a family: preferably a list, else an object that does not exist, else an invalid body. */
function questionFor(
  family: FamilyName,
): { readonly operation: Operation; readonly input: CallInput } | null {
  const own = operations().flatMap((operation) => {
    const variant = operation.variants.find((one) => one.family === family);
    return variant === undefined ? [] : [{ operation, variant }];
  });
  // Reading comes first, because it costs nothing and changes nothing, even where the guess about the body is
  // wrong.
  const rank = ({ operation }: (typeof own)[number]): number => {
    if (operation.method === 'GET') return operation.path.includes('{') ? 1 : 0;
    return operation.method === 'POST' && !operation.path.includes('{') ? 2 : 3;
  };
  const best = own.toSorted((a, b) => rank(a) - rank(b))[0];
  if (best === undefined || rank(best) === 3) return null;
  return { operation: best.operation, input: harmless(best.operation, best.variant) };
}

/** An input that no operation accepts as a request to create a resource. */
function harmless(operation: Operation, variant: Variant): CallInput {
  const names = operation.path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const path = Object.fromEntries(names.map((name) => [name, 'assay-no-such-id']));
  const version = variant.name === 'only' ? {} : { variant: variant.name };
  // An array in place of the object that every operation requires.
  const body =
    operation.method === 'POST' ? (variant.body?.carrier === 'json' ? { body: [] } : { form: [] }) : {};
  return { path, ...version, ...body };
}

/** Messages by which services reject an unknown operation without 404, 405 or 501. "Invalid path" or "url" usually means a value in the request. */
const UNSUPPORTED =
  /\b(?:unsupported|unknown|unimplemented|invalid) (?:endpoint|operation|route)\b(?! param)|\b(?:endpoint|operation|route|path|url|api)\b[^.]{0,40}\bnot (?:supported|implemented|available)\b/i;

/** Not offered: 405, 501, an error message that says so, 404 for a list, or the response of an unknown path. */
function isOffered(answer: IncomingResponse, unknownPaths: IncomingResponse, operation: Operation): boolean {
  const { response } = answer;
  if (response === null || response.status === 405 || response.status === 501) return false;
  if (response.status >= 400 && UNSUPPORTED.test(response.body.text ?? '')) return false;
  if (response.status !== 404) return true;
  if (operation.method === 'POST' || !operation.path.includes('{')) return false;
  return shape(answer) !== shape(unknownPaths);
}

/**
 * Status and body of a response without the parts that depend on the path. Two equal shapes come from the
 * same handler, here that of unknown paths.
 */
function shape({ response }: IncomingResponse): string {
  const text = response?.body.text ?? '';
  return `${response?.status} ${text.replaceAll(/\/v1\/[\w/.-]*/g, '').replaceAll(/assay-no-such-\w+/g, '')}`;
}
