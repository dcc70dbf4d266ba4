// Turns causes into sentences; all other code treats them as typed facts.
import type { MissingSetting, Obstacle, StopReason } from '../../exchange/note.ts';
import { printable } from '../../exchange/printable.ts';
import type {
  Needed,
  NeededCondition,
  NeededForm,
  NeededProbe,
  NeededValue,
} from '../../judge/requirements/needed.ts';
import { refusalVerb, type Share } from '../../judge/requirements/refusals.ts';
import { TYPE_NOUNS } from '../../judge/schema/sentence.ts';
import { isCapacityStatus } from '../../judge/trace/response-class.ts';
import type { Arrival, BreakdownFacts, Cause, ExpectedFrom, Received } from '../../judge/verdict/cause.ts';
import type { DiagnosisVerdict, Judgement } from '../../judge/verdict/verdict.ts';
import { extensions } from '../../schemas/index.ts';
import { formatNumber, plural } from '../../schemas/quantities.ts';
import { present, type WordsByKind, wordsByKind } from './text.ts';

/** Why a run ended, as a clause. */
export const STOP_CLAUSES: Readonly<Record<StopReason, string>> = {
  completed: 'the run completed',
  interrupted: 'the run was interrupted',
  budget: 'the run stopped at its budget',
  deadline: 'the run stopped at its deadline',
  'target-unreachable': 'no operation of the target could be reached',
  'target-died': 'the target stopped answering during the run',
};

const MAX_NAMED_EVENTS = 12;

/** Causes with the same `head` can be listed together; `detail` may be empty. */
export interface CauseText {
  readonly head: string;
  readonly joint: ': ' | ' ';
  readonly detail: string;
}

export function causeWords(cause: Cause): string {
  const { head, joint, detail } = causeText(cause);
  return detail === '' ? head : `${head}${joint}${detail}`;
}

export function causeText(cause: Cause): CauseText {
  return wordsByKind(cause, 'kind', CAUSES);
}

const CAUSES: WordsByKind<'kind', Cause, CauseText> = {
  // The kind is the head, so that a summary can count what one option leaves out.
  'not-claimed': ({ kind, family }) => textOf(kind, family === null ? '' : `family ${family}`),
  filtered: ({ kind, by }) =>
    textOf(kind, by === null ? '' : `--${by.option} ${by.globs.join(',')}`.trimEnd()),
  'not-allowed': ({ kind, cost }) => textOf(kind, `--allow ${cost}`),
  'not-configured': ({ kind, missing }) => textOf(kind, missingWords(missing)),
  stopped: ({ kind, reason }) => textOf(kind, STOP_CLAUSES[reason]),
  'not-feasible': ({ kind, says }) => textOf(kind, says),
  'not-implemented': ({ kind, operations }) => textOf(kind, operations.join(', ')),
  blocked: ({ kind, exchange, obstacle }) => textOf(kind, `${exchange} ${obstacleWords(obstacle)}`),
  'no-evidence': ({ kind, choice, expected }) =>
    choice === undefined
      ? textOf(kind, expected === undefined ? '' : expectedWords(expected))
      : textOf(`no evidence, as ${choice.id} is "${choice.alternative}"`, '', ' '),
  capacity: arrivalText,
  protocol: arrivalText,
  authentication: arrivalText,
  breakdown: ({ faults }) => textOf(breakdownWords(faults), blameWords(faults)),
  // assay's parser limits nesting to protect its stack.
  nesting: () => textOf('protocol', 'an answer is nested too deeply to be read'),
  'target-error': ({ exchange }) => textOf('the target answered 5xx', `(${exchange})`, ' '),
  model: ({ exchange }) => textOf('the model answered differently, as it may', `(${exchange})`, ' '),
  deadline: ({ exchange, state }) => textOf('deadline passed', `at ${exchange}, last state ${state}`, ' '),
  erratum: ({ id, reason }) => textOf(id, reason),
  'scenario-crashed': ({ scenario, message }) => textOf(`scenario ${scenario} crashed`, message),
  defect: ({ message }) => textOf(message, ''),
};

function textOf(head: string, detail: string, joint: CauseText['joint'] = ': '): CauseText {
  return { head, joint, detail };
}

function arrivalText(cause: Extract<Cause, { readonly arrival: Arrival | null }>): CauseText {
  return textOf(cause.kind, `${arrivalWords(cause.arrival)} (${cause.exchange})`);
}

function missingWords(missing: MissingSetting): string {
  if (missing.what === 'model') return `model role ${missing.role}`;
  return missing.what === 'key' ? 'API key' : 'key of another organization (--second-key-env)';
}

/** How an exchange ended, in words; null means no capacity, or no response in time. */
function arrivalWords(arrival: Arrival | null): string {
  if (arrival === null) return 'the target had none left, or did not answer in time';
  return wordsByKind(arrival, 'what', {
    reset: ({ detail }) => detail ?? 'upstream-reset',
    timeout: ({ detail }) => detail ?? 'upstream-timeout',
    undecodable: ({ codings }) => `content that cannot be decoded from ${codings.join(', ')}`,
    answered: ({ status: code }) => `answered ${code ?? 'nothing'}`,
  });
}

/** `scenario runs.forced received createRun 200 (2×), none with …`: a scenario that shows evidence on other targets. */
function expectedWords(expected: ExpectedFrom): string {
  const { needed, nearest = [] } = expected;
  const near = nearest.length === 0 ? '' : `; nearest ${nearest.join(', ')}`;
  return `${receivedFromWords(expected)}${needed === undefined ? '' : `, ${neededWords(needed)}`}${near}`;
}

/** The responses to one scenario, or to several together: `scenario runs.forced received createRun 200 (2×)`. */
export function receivedFromWords({ scenario, scenarios = 1, received }: ExpectedFrom): string {
  const answers = received.map(receivedWords);
  const who = scenarios === 1 ? `scenario ${scenario}` : `${scenarios} scenarios`;
  return `${who} received ${answers.length === 0 ? 'nothing' : answers.join('; ')}`;
}

function receivedWords({ operation, statuses, emptyPages, events }: Received): string {
  const counts = Object.entries(statuses).map(([code, n]) => (n === 1 ? code : `${code} (${n}×)`));
  const more = events.length > MAX_NAMED_EVENTS ? [`${events.length - MAX_NAMED_EVENTS} more`] : [];
  return present(
    `${operation} ${counts.join(', ')}`,
    emptyPages > 0 && `with ${plural(emptyPages, 'empty page')}`,
    events.length > 0 && `with the events ${[...events.slice(0, MAX_NAMED_EVENTS), ...more].join(', ')}`,
  ).join(' ');
}

/** An obstacle in words: `POST /v1/files answered 500`. */
export function obstacleWords(obstacle: Obstacle): string {
  const request = `${obstacle.method} ${obstacle.path}`;
  const code = 'status' in obstacle ? (obstacle.status ?? 'nothing') : '';
  const answered = `${request} answered ${code}`;
  return wordsByKind(obstacle, 'kind', {
    answered: () => answered,
    unreadable: () => `${answered} with an unreadable body`,
    late: () => `${answered}, perhaps because it came too late`,
    undecided: () => `${answered}, no rejection`,
    control: () => `${answered} to a valid request`,
    context: () => `${answered}: it exceeds the context of the model`,
    // The error code or message says what is wrong with the request, often its model.
    base: ({ said }) => `the base request ${request} is refused: ${code}${said === null ? '' : ` ${said}`}`,
    unanswered: ({ detail }) => `${request} ${detail ?? 'was not answered'}`,
    'no-text': ({ pointer }) => `${request} answered without a text at ${pointer}`,
    'no-object': ({ object }) => `${request} answered without a ${object}`,
    'other-state': ({ state, needed }) =>
      `${request} answered with the state ${state ?? 'unknown'}, not ${needed}`,
  });
}

export function blockerWords({
  exchange,
  exchanges = 1,
  message,
  requirements,
}: Omit<Judgement['blockers'][number], 'obstacle'> & { readonly message: string }): string {
  const by = exchanges === 1 ? `exchange ${exchange}` : `${exchanges} exchanges, the first ${exchange}`;
  return `${plural(requirements, 'requirement')} blocked by ${by}: ${printable(message)}`;
}

/** A cause on one line: `refuses n > 1: 14 of 14 requests with it, 0 of 96 without`. */
export function diagnosisWords(diagnosis: DiagnosisVerdict): string {
  const { features, operations, proven } = diagnosis;
  const withFeatures = addShares(operations.map((operation) => operation.with));
  return wordsByKind(diagnosis, 'kind', {
    features: () => {
      const without = addShares(operations.map((operation) => operation.without));
      const it = features.length > 1 ? 'both' : 'it';
      return `${refusalVerb(diagnosis)} ${features.map(featureWords).join(' with ')}: ${shareWords(withFeatures)} requests with ${it}, ${shareWords(without)} without`;
    },
    everything: () =>
      `refuses every request: ${shareWords(withFeatures)}${proven ? '' : '; none shows that the key, the models and the files are good'}`,
    inconsistent: () =>
      `refuses 1 of ${Math.max(1, Math.round(withFeatures.total / Math.max(1, withFeatures.refused)))} at random: ${shareWords(withFeatures)} requests, equal ones among them`,
    unexplained: () =>
      `refuses requests for a reason that they do not show: ${formatNumber(withFeatures.refused)}`,
  });
}

/** `createCompletion: 3 of 3, 0 of 40 without`, if a cause concerns several operations. */
export function operationWords({ kind, operations }: DiagnosisVerdict): readonly string[] {
  if (operations.length < 2) return [];
  return operations.map(({ requirement, with: share, without }) => {
    const subject = requirement.replace(/:accepts$/, '');
    return `${subject}: ${shareWords(share)}${kind === 'features' ? `, ${shareWords(without)} without` : ''}`;
  });
}

/** `n > 1`, `tools`, `order = "asc"`. */
function featureWords(feature: string): string {
  if (feature === 'context.repeated') return 'a request that was sent before';
  const inFlight = /^context\.beside>=(\d+)$/.exec(feature)?.[1];
  if (inFlight !== undefined) return `requests while ${inFlight} or more others are under way`;
  const bytes = /^size>=(\d+)$/.exec(feature)?.[1];
  if (bytes !== undefined) return `bodies of ${formatNumber(Number(bytes))} bytes or more`;
  return feature
    .replace(/^(body|query)\./, '')
    .replace(/^([^<>=:]+)([<>=:])(.+)$/, (_, name, sign, value) => {
      return sign === ':' ? `${name} as ${value}` : `${name} ${sign} ${value}`;
    });
}

function addShares(shares: readonly Share[]): Share {
  return {
    refused: shares.reduce((sum, { refused }) => sum + refused, 0),
    total: shares.reduce((sum, { total }) => sum + total, 0),
  };
}

function shareWords({ refused, total }: Share): string {
  return `${formatNumber(refused)} of ${formatNumber(total)}`;
}

/** The failures with their counts: `answers 503 to stop: 14 of 14 requests with it, 0 of 96 without`. */
export function breakdownWords(faults: readonly BreakdownFacts[]): string {
  return faults.map((fault) => `${failsWords(fault)}: ${countsWords(fault)}`).join('; ');
}

/** Denies a lack of capacity only if a timeout or a status such as 429 suggests one. */
function blameWords(faults: readonly Pick<BreakdownFacts, 'statuses'>[]): string {
  const suggestsCapacity = faults.some(({ statuses }) => statuses.some(isCapacityStatus));
  return `a fault of the service${suggestsCapacity ? ' rather than a lack of capacity' : ''}`;
}

/** `answers 503 to stop`. */
export function failsWords({ features, statuses }: Pick<BreakdownFacts, 'features' | 'statuses'>): string {
  const what = features.map(featureWords).join(' with ');
  const codes = statuses.flatMap((status) => status ?? []);
  if (codes.length === 0) return `does not answer ${what} in time`;
  const late = codes.length < statuses.length ? ', or not in time,' : '';
  return `answers ${codes.join(' or ')}${late} to ${what}`;
}

function countsWords({ features, with: share, without }: BreakdownFacts): string {
  const words = ({ failed, total }: typeof share) => shareWords({ refused: failed, total });
  return `${words(share)} requests with ${features.length > 1 ? 'both' : 'it'}, ${words(without)} without`;
}

/** The missing evidence, continuing a sentence: `none with an integer at total_tokens of usage`. */
export function neededWords(needed: Needed): string {
  if ('schema' in needed) return `none with ${valueWords(needed)}`;
  if ('form' in needed) return FORMS[needed.form];
  if ('side' in needed)
    return `none ${PROBES[needed.side]}${needed.place === null ? '' : ` (${needed.place})`}`;
  const { evidence, conditions } = needed;
  return `none shows ${[evidence, ...joinConditions(conditions)].join(', ')}`;
}

const FORMS: Readonly<Record<NeededForm['form'], string>> = {
  json: 'none with 2xx and a body that has to be JSON',
  stream: 'none with 2xx and a stream',
  event: 'none with an event in a stream',
};

const PROBES: Readonly<Record<NeededProbe['side'], string>> = {
  accepted: 'shows whether a valid request is accepted',
  rejected: 'shows whether a request is rejected that is valid but for this violation',
};

/** `an integer at total_tokens of usage`. */
function valueWords({ schema, path, types = [], conditions = [] }: NeededValue): string {
  const nouns = typeWords(types);
  const place = path === '' ? schema : `${path} of ${schema}`;
  const value = nouns === '' ? place : `${nouns} ${path === '' ? 'as' : 'at'} ${place}`;
  return conditions.length === 0 ? value : `${value} ${joinConditions(conditions).join('')}`;
}

function typeWords(types: readonly (keyof typeof TYPE_NOUNS)[]): string {
  return types.map((type) => TYPE_NOUNS[type]).join(' or ');
}

/** Joins conditions into one phrase; the last one is the condition that nothing met. */
function joinConditions(conditions: readonly NeededCondition[]): readonly string[] {
  const clauses = conditions.map(conditionWords);
  const last = clauses.at(-1);
  if (last === undefined) return [];
  return [clauses.length === 1 ? last : `${clauses.slice(0, -1).join(', ')} and ${last}`];
}

const OWNERS = {
  request: 'whose request has',
  answer: 'whose answer has',
  'earlier-answer': 'whose earlier answer has',
  value: 'that has',
} as const;

const OUTCOMES = {
  answered: 'answered with 2xx and JSON',
  decided: 'carried out or rejected',
  settled: 'answered with 2xx, a rejection or not found',
} as const;

/** A clause to append to the noun phrase of the evidence: `that has no name`. */
function conditionWords(condition: NeededCondition): string {
  return wordsByKind(condition, 'kind', {
    text: ({ says }) => says,
    list: ({ least, field }) => `with at least ${plural(least, 'element')} in ${field}`,
    outcome: ({ outcome }) => `that is ${OUTCOMES[outcome]}`,
    sent: ({ unknown }) =>
      unknown === null
        ? 'that was sent for its own sake, not as a probe'
        : `whose ${unknown} matches no object`,
    field: (facts) => `${OWNERS[facts.of]} ${fieldWords(facts)}`,
  });
}

/** `status "failed"`, `no name`. */
function fieldWords({ field, is, values, types }: Extract<NeededCondition, { kind: 'field' }>): string {
  if (is === 'absent') return `no ${field}`;
  if (is === 'nil') return `no ${field}, or null`;
  if (values !== undefined) return `${field} ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return types === undefined ? field : `${typeWords(types)} at ${field}`;
}

/** The owner of the bug behind a crash: the extension with whose name the id begins, else assay. */
export function ownerOf(id: string): string {
  const extension = extensions().find(({ name }) => id.startsWith(`${name}.`));
  return extension === undefined ? 'assay' : `the extension ${extension.name}`;
}

/** One line per crashed scenario. Messages may quote the target, so they are escaped. */
export function crashLines(
  crashed: readonly { readonly scenario: string; readonly message: string }[],
): string[] {
  return crashed.map(
    ({ scenario, message }) =>
      `defect of ${ownerOf(scenario)}: scenario ${scenario} crashed: ${printable(message)}`,
  );
}
