// Faults that change the responses of the reference on their way to the client: changes that break a requirement, and
// three generic kinds for any operation.
import type { Exchange } from '../../exchange/exchange.ts';
import { matchesAnyGlob } from '../../exchange/glob.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import {
  probeRequirementId,
  type RequestConstraint,
  requestConstraints,
} from '../../judge/probe/request-constraints.ts';
import { violationsOf } from '../../judge/probe/request-violations.ts';
import { type Catalogue, type Requirement, requirementsOf } from '../../judge/requirements/catalogue.ts';
import { isAcceptanceRequirement } from '../../judge/requirements/refusal-causes.ts';
import { Call } from '../../judge/trace/call.ts';
import { baselineTrace, type Mutant } from '../../proof/mutants/mutant.ts';
import { mutantsOf, mutationKindsOf } from '../../proof/mutants/mutants.ts';
import { cutInHalf, empty, refuse } from '../../proof/mutations/evasions.ts';
import { withJsonResponse } from '../../proof/mutations/exchanges.ts';
import { recordingHeader } from '../../proxy/record/recording-header.ts';
import { knownFaults, UnknownFault } from '../../reference/faults/known.ts';
import { operations } from '../../schemas/index.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { suggestNames } from '../../schemas/nearest-names.ts';

type Change = LiveFault['change'];

export interface LiveFault {
  readonly id: string;
  readonly says: string;
  /** Id of the requirement that the fault breaks; null for the generic kinds. */
  readonly requirement: string | null;
  /** Ids of the operations whose responses the fault changes, and whose earlier calls it remembers. */
  readonly operations: ReadonlySet<string>;
  /**
   * The exchange as the client receives it; the same object if nothing changes. `before`: earlier calls of the
   * operations, oldest first, with the original responses of the reference.
   */
  change(exchange: Exchange, before: readonly Exchange[]): Exchange;
}

export const GENERIC_FAULTS: Readonly<
  Record<string, { readonly says: string; readonly change: (exchange: Exchange) => Exchange }>
> = {
  refuse: { says: 'answers 400 to every request', change: refuse },
  empty: {
    says: 'answers lists without elements, other JSON as {}, streams and files without content',
    change: empty,
  },
  cut: {
    says: 'ends streams after half of their events, and other bodies after half of their bytes',
    change: cutInHalf,
  },
};

/**
 * Parses `refuse:OPERATION`, `empty:OPERATION`, `cut:OPERATION` or the fault of a requirement. Throws UnknownFault,
 * also if no single response can show the fault.
 */
export function readLiveFault(id: string, catalogue: Catalogue, betaHeader: string): LiveFault {
  const [, kind = '', operation = ''] = /^(\w+):(\w+)$/.exec(id) ?? [];
  const generic = Object.hasOwn(GENERIC_FAULTS, kind) ? GENERIC_FAULTS[kind] : undefined;
  if (generic === undefined) return requirementFault(id, catalogue, betaHeader);
  const operationIds = operations().map((one) => one.id);
  if (!operationIds.includes(operation))
    throw new UnknownFault(
      `Unknown operation '${operation}' in --fault ${id}${suggestNames(operation, operationIds)}.`,
    );
  const says = `${operation} ${generic.says}`;
  return { id, says, requirement: null, operations: new Set([operation]), change: generic.change };
}

function requirementFault(text: string, catalogue: Catalogue, betaHeader: string): LiveFault {
  const { requirement, changeName, knownNames } = findRequirement(text, catalogue);
  const isOfflineOnly = (name: string) => matchesAnyGlob(OFFLINE_ONLY, `${requirement.id}/${name}`);
  if ((changeName === null ? knownNames : [changeName]).every(isOfflineOnly))
    throw new UnknownFault(
      `The fault '${text}' needs a whole trace: no single answer shows it. npm run prove applies it to recorded traffic.`,
    );
  return {
    id: text,
    says: `breaks: ${requirement.says}${changeName === null ? '' : ` (${changeName})`}`,
    requirement: requirement.id,
    operations: new Set(requirement.operations),
    change: changeOf(requirement, changeName, catalogue, betaHeader),
  };
}

function findRequirement(text: string, catalogue: Catalogue) {
  const requirements = requirementsOf(catalogue);
  const id = requirements.has(text)
    ? text
    : [...requirements.keys()].findLast((one) => text.startsWith(`${one}/`));
  const requirement = requirements.get(id ?? '');
  if (id === undefined || requirement === undefined)
    throw new UnknownFault(
      `Unknown fault '${text}'${suggestNames(text, [...knownFaults.map((fault) => fault.id), ...requirements.keys()])}. ` +
        'assay serve --fault list prints the names, assay list the requirements.',
    );
  const set = catalogue.requirementSets.find(({ requirements: all }) => all.includes(requirement));
  const knownNames = set === undefined ? [] : mutationKindsOf(set, id);
  const changeName = text === id ? null : text.slice(id.length + 1);
  if (changeName !== null && !knownNames.includes(changeName))
    throw new UnknownFault(`Unknown change '${changeName}' of ${id}; it has ${knownNames.join(', ')}.`);
  return { requirement, changeName, knownNames };
}

function changeOf(
  { id, kind }: Requirement,
  changeName: string | null,
  catalogue: Catalogue,
  betaHeader: string,
): Change {
  if (isAcceptanceRequirement(id)) return refuseAccepted(() => true, betaHeader);
  const [, key] = /^auth\..*\.(without|wrong)-key$/.exec(id) ?? [];
  if (key !== undefined) return acceptKey(key === 'wrong');
  if (kind === 'accepted' || kind === 'rejected') {
    const constraint = requestConstraints().find((one) => probeRequirementId(one, kind) === id);
    if (constraint !== undefined && kind === 'rejected') return acceptViolation(id, betaHeader);
    if (constraint !== undefined) return refuseAccepted((call) => isSet(call, constraint), betaHeader);
  }
  return applyMutants(id, changeName, catalogue, betaHeader);
}

function refuseAccepted(isAffected: (call: Call) => boolean, betaHeader: string): Change {
  return (exchange) => {
    const call = Call.from(exchange, betaHeader);
    if (call?.responseClass !== 'accepted' || !isAffected(call)) return exchange;
    return refuse(exchange);
  };
}

/** Accepts a request with a wrong key, or without one: repeats the response to the last accepted request, else `{}`. */
function acceptKey(isWrong: boolean): Change {
  return (exchange, before) => {
    const hasKey = exchange.request.headers.some(([name]) => name.toLowerCase() === 'authorization');
    if (exchange.response?.status !== 401 || hasKey !== isWrong) return exchange;
    const earlier = before.findLast(({ response }) => response?.status === 200);
    return withEarlierResponse(exchange, earlier);
  };
}

function withEarlierResponse(exchange: Exchange, earlier: Exchange | undefined): Exchange {
  return earlier === undefined
    ? withJsonResponse(exchange, 200, {})
    : { ...exchange, response: earlier.response };
}

function isSet({ exchange, variant }: Call, constraint: RequestConstraint): boolean {
  if (variant?.name !== constraint.variant) return false;
  const [, place, name] = /^(\w+)(?:\.([^.[(]+(?:\[\]$)?))?/.exec(constraint.pointer) ?? [];
  if (name === undefined || place === 'path') return true;
  if (place === 'query') return new URL(exchange.request.target, 'http://localhost').searchParams.has(name);
  const json = jsonContent(exchange.request);
  // Only names of form fields end in brackets; in JSON, brackets mean the elements.
  if (isJsonObject(json)) return name.replace(/\[\]$/, '') in json;
  return formDataParts(exchange.request)?.some((part) => part.name === name) ?? false;
}

/**
 * Accepts refused requests that violate the constraint, or show no violation: repeats the response to the last accepted
 * request, else `{}`.
 */
function acceptViolation(id: string, betaHeader: string): Change {
  return (exchange, before) => {
    const call = Call.from(exchange, betaHeader);
    if (call === null || call.responseClass === 'accepted') return exchange;
    const violations = violationsOf(call);
    // A violation that the request does not show, such as one in a file's content, is recognised only by the refusal.
    if (violations.length > 0 && !violations.some((one) => one.id === id)) return exchange;
    const isAccepted = (one: Exchange) => Call.from(one, betaHeader)?.responseClass === 'accepted';
    return withEarlierResponse(exchange, before.findLast(isAccepted));
  };
}

function applyMutants(
  id: string,
  changeName: string | null,
  catalogue: Catalogue,
  betaHeader: string,
): Change {
  const set = catalogue.requirementSets.find(({ requirements }) => requirements.some((one) => one.id === id));
  // Only the name of the beta header matters.
  const header = recordingHeader('http://127.0.0.1/v1', { betaHeader });
  const findChanged = (
    mutant: Mutant,
    { id: exchangeId, request, response }: Exchange,
  ): Exchange | undefined => {
    for (const exchanges of [mutant.exchanges, mutant.longer?.() ?? null]) {
      const changed = exchanges?.findLast((one) => one.id === exchangeId);
      if (changed !== undefined && changed.request === request && changed.response !== response)
        return changed;
    }
    return undefined;
  };
  // Each exchange is read again with every later one, and selectors keep what they read from a call.
  const calls = new WeakMap<Exchange, Call | null>();
  const parse = (exchange: Exchange) => getOrMake(calls, exchange, () => Call.from(exchange, betaHeader));
  return (exchange, before) => {
    // Most changes concern one response; the others relate it to earlier ones.
    for (const items of [[exchange], [...before, exchange]]) {
      const baseline = baselineTrace({ header, items }, new Set([id]), parse);
      for (const mutant of set === undefined ? [] : mutantsOf(set, baseline)) {
        if (mutant.requirement !== id || (changeName !== null && mutant.kind !== changeName)) continue;
        const changed = findChanged(mutant, exchange);
        if (changed !== undefined) return changed;
      }
    }
    return exchange;
  };
}

/**
 * Changes that no single response can show, as `REQUIREMENT/CHANGE` with `*`: they relate responses that are sent at
 * different times, or need an outcome that only the service can produce. `scripts/prove-live.ts` finds those that are
 * missing here.
 */
const OFFLINE_ONLY = [
  'assistant-files.delete.leaves-file-ids/*',
  'audio.speech.faster-is-shorter/*',
  'batches.input.*/completed*',
  'chat.tools.*/one reply has text instead of a call',
  'completions.best-of.not-streamed/*',
  'fine-tuning.create.*/succeeds in the end',
  '*.page.after/what lies in front',
];
