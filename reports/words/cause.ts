// Turns causes into sentences. Elsewhere causes are typed facts.

import type { Missing, Obstacle, StopReason } from '../../exchange/note.ts';
import { printable } from '../../exchange/printable.ts';
import type {
  Needed,
  NeededCondition,
  NeededForm,
  NeededProbe,
  NeededValue,
} from '../../judge/requirements/needed.ts';
import type { Share } from '../../judge/requirements/refusals.ts';
import { refusalVerb } from '../../judge/requirements/refusals.ts';
import { TYPE_NOUNS } from '../../judge/schema/sentence.ts';
import { isCapacityStatus } from '../../judge/trace/response-class.ts';
import type { Arrival, BreakdownFacts, Cause, ExpectedFrom, Received } from '../../judge/verdict/cause.ts';
import type { DiagnosisVerdict, Judgement } from '../../judge/verdict/verdict.ts';
import { formatNumber, plural, present } from './text.ts';

/** Why a run ended, as a clause. */
export const STOPPED: Readonly<Record<StopReason, string>> = {
  completed: 'the run completed',
  interrupted: 'the run was interrupted',
  budget: 'the run stopped at its budget',
  deadline: 'the run stopped at its deadline',
  'target-unreachable': 'the target could not be reached',
  'target-died': 'the target stopped answering during the run',
};

const MAX_EVENTS = 12;

/** A cause as text. Causes with the same `head` can be listed together; `detail` may be empty. */
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
  switch (cause.kind) {
    case 'not-claimed':
    case 'filtered':
    case 'not-allowed':
    case 'not-configured':
      // The kind is the head, so that a summary can count what one option leaves out.
      return apart(cause.kind, skipDetail(cause));
    case 'stopped':
      return apart(cause.kind, STOPPED[cause.reason]);
    case 'not-feasible':
      return apart(cause.kind, cause.says);
    case 'not-implemented':
      return apart(cause.kind, cause.operations.join(', '));
    case 'blocked':
      return apart(cause.kind, `${cause.exchange} ${obstacleWords(cause.obstacle)}`);
    case 'no-evidence':
      if (cause.choice !== undefined)
        return beside(`no evidence, as ${cause.choice.id} is "${cause.choice.alternative}"`, '');
      return apart(cause.kind, cause.expected === undefined ? '' : expectedWords(cause.expected));
    case 'capacity':
    case 'protocol':
    case 'authentication':
      return apart(cause.kind, `${arrivalWords(cause.arrival)} (${cause.exchange})`);
    case 'breakdown':
      return apart(breakdownWords(cause.faults), blameWords(cause.faults));
    // assay's parser limits nesting to protect its stack.
    case 'nesting':
      return apart('protocol', 'an answer is nested too deeply to be read');
    case 'target-error':
    case 'model':
      return beside(ANSWERED[cause.kind], `(${cause.exchange})`);
    case 'deadline':
      return beside('deadline passed', `at ${cause.exchange}, last state ${cause.state}`);
    case 'erratum':
      return apart(cause.id, cause.reason);
    case 'scenario-crashed':
      return apart(`scenario ${cause.scenario} crashed`, cause.message);
    case 'defect':
      return apart(cause.message, '');
    default:
      return cause satisfies never;
  }
}

const ANSWERED = {
  'target-error': 'the target answered 5xx',
  model: 'the model answered otherwise, as it may',
} as const;

function apart(head: string, detail: string): CauseText {
  return { head, joint: ': ', detail };
}

function beside(head: string, detail: string): CauseText {
  return { head, joint: ' ', detail };
}

type SkipCause = Extract<
  Cause,
  { readonly kind: 'not-claimed' | 'filtered' | 'not-allowed' | 'not-configured' }
>;

function skipDetail(cause: SkipCause): string {
  switch (cause.kind) {
    case 'not-claimed':
      return cause.family === null ? '' : `family ${cause.family}`;
    case 'filtered':
      return cause.by === null ? '' : `--${cause.by.option} ${cause.by.globs.join(',')}`.trimEnd();
    case 'not-allowed':
      return `--allow ${cause.cost}`;
    case 'not-configured':
      return missingWords(cause.missing);
    default:
      return cause satisfies never;
  }
}

function missingWords(missing: Missing): string {
  if (missing.what === 'model') return `model role ${missing.role}`;
  return missing.what === 'key' ? 'API key' : 'key of another organization (--second-key-env)';
}

/** Null means no capacity, or no response in time. */
function arrivalWords(arrival: Arrival | null): string {
  if (arrival === null) return 'the target had none left, or did not answer in time';
  switch (arrival.what) {
    case 'reset':
      return arrival.detail ?? 'upstream-reset';
    case 'timeout':
      return arrival.detail ?? 'upstream-timeout';
    case 'undecodable':
      return `content that cannot be decoded from ${arrival.codings.join(', ')}`;
    case 'answered':
      return `answered ${arrival.status ?? 'nothing'}`;
    default:
      return arrival satisfies never;
  }
}

/**
 * The responses to a scenario that shows evidence on other targets: `scenario runs.forced received createRun 200
 * (2×), none with …`.
 */
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
  const more = events.length > MAX_EVENTS ? [`${events.length - MAX_EVENTS} more`] : [];
  return present(
    `${operation} ${counts.join(', ')}`,
    emptyPages > 0 && `with ${plural(emptyPages, 'empty page')}`,
    events.length > 0 && `with the events ${[...events.slice(0, MAX_EVENTS), ...more].join(', ')}`,
  ).join(' ');
}

/** An obstacle in words: `POST /v1/files answered 500`. */
export function obstacleWords(obstacle: Obstacle): string {
  const request = `${obstacle.method} ${obstacle.path}`;
  switch (obstacle.kind) {
    case 'answered':
      return `${request} answered ${status(obstacle)}`;
    case 'unreadable':
      return `${request} answered ${status(obstacle)} and nothing readable`;
    case 'late':
      return `${request} answered ${status(obstacle)}, perhaps because it came too late`;
    case 'undecided':
      return `${request} answered ${status(obstacle)}, no rejection`;
    case 'control':
      return `${request} answered ${status(obstacle)} to a valid request`;
    case 'context':
      return `${request} answered ${status(obstacle)}: it exceeds the context of the model`;
    // The error code or message says what is wrong with the request, often its model.
    case 'base':
      return `the base request ${request} is refused: ${status(obstacle)}${obstacle.said === null ? '' : ` ${obstacle.said}`}`;
    case 'unanswered':
      return `${request} ${obstacle.detail ?? 'was not answered'}`;
    case 'no-text':
      return `${request} answered without a text at ${obstacle.pointer}`;
    case 'no-object':
      return `${request} answered without a ${obstacle.object}`;
    case 'other-state':
      return `${request} answered with the state ${obstacle.state ?? 'unknown'}, not ${obstacle.needed}`;
    default:
      return obstacle satisfies never;
  }
}

function status({ status: code }: { readonly status: number | null }): string {
  return code === null ? 'nothing' : String(code);
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
  const { kind, features, operations, proven } = diagnosis;
  const of = sumOf(operations.map((one) => one.with));
  switch (kind) {
    case 'features': {
      const without = sumOf(operations.map((one) => one.without));
      const it = features.length > 1 ? 'both' : 'it';
      return `${refusalVerb(diagnosis)} ${features.map(featureWords).join(' with ')}: ${shareWords(of)} requests with ${it}, ${shareWords(without)} without`;
    }
    case 'everything':
      return `refuses every request: ${shareWords(of)}${proven ? '' : '; none shows that the key, the models and the files are good'}`;
    case 'inconsistent':
      return `refuses 1 of ${Math.max(1, Math.round(of.total / Math.max(1, of.refused)))} at random: ${shareWords(of)} requests, equal ones among them`;
    case 'unexplained':
      return `refuses requests for a reason that they do not show: ${formatNumber(of.refused)}`;
    default:
      return kind satisfies never;
  }
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
  const beside = /^context\.beside>=(\d+)$/.exec(feature)?.[1];
  if (beside !== undefined) return `requests while ${beside} or more others are under way`;
  const bytes = /^size>=(\d+)$/.exec(feature)?.[1];
  if (bytes !== undefined) return `bodies of ${formatNumber(Number(bytes))} bytes or more`;
  return feature
    .replace(/^(body|query)\./, '')
    .replace(/^([^<>=:]+)([<>=:])(.+)$/, (_, name, sign, value) => {
      return sign === ':' ? `${name} as ${value}` : `${name} ${sign} ${value}`;
    });
}

function sumOf(shares: readonly Share[]): Share {
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
  return faults.map((one) => `${failsWords(one)}: ${countsWords(one)}`).join('; ');
}

/** Statuses such as 429 claim a lack of capacity. */
function blameWords(faults: readonly Pick<BreakdownFacts, 'statuses'>[]): string {
  const claimsCapacity = faults.some(({ statuses }) => statuses.some(isCapacityStatus));
  return `a fault of the service${claimsCapacity ? ' rather than a lack of capacity' : ''}`;
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
  const shares = [share, without].map(
    ({ failed, total }) => `${formatNumber(failed)} of ${formatNumber(total)}`,
  );
  return `${shares[0]} requests with ${features.length > 1 ? 'both' : 'it'}, ${shares[1]} without`;
}

/** The missing evidence, continuing a sentence: `none with an integer at total_tokens of usage`. */
export function neededWords(needed: Needed): string {
  if ('schema' in needed) return `none with ${valueWords(needed)}`;
  if ('form' in needed) return FORMS[needed.form];
  if ('side' in needed)
    return `none ${PROBES[needed.side]}${needed.place === null ? '' : ` (${needed.place})`}`;
  const { evidence, conditions } = needed;
  return `none shows ${[evidence, ...listed(conditions)].join(', ')}`;
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
  const value =
    path === ''
      ? nouns === ''
        ? schema
        : `${nouns} as ${schema}`
      : nouns === ''
        ? `${path} of ${schema}`
        : `${nouns} at ${path} of ${schema}`;
  return conditions.length === 0 ? value : `${value} ${listed(conditions).join('')}`;
}

function typeWords(types: readonly (keyof typeof TYPE_NOUNS)[]): string {
  return types.map((type) => TYPE_NOUNS[type]).join(' or ');
}

/** The last condition is the one that nothing met. */
function listed(conditions: readonly NeededCondition[]): readonly string[] {
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

/** A clause that continues the noun phrase of the evidence. */
function conditionWords(condition: NeededCondition): string {
  switch (condition.kind) {
    case 'text':
      return condition.says;
    case 'list':
      return `with at least ${plural(condition.least, 'element')} in ${condition.field}`;
    case 'outcome':
      return `that is ${OUTCOMES[condition.outcome]}`;
    case 'sent':
      return condition.unknown === null
        ? 'that was sent for itself, not to test what is accepted'
        : `whose ${condition.unknown} names nothing`;
    case 'field':
      return `${OWNERS[condition.of]} ${fieldWords(condition)}`;
    default:
      return condition satisfies never;
  }
}

/** `status "failed"`, `no name`. */
function fieldWords({ field, is, values, types }: Extract<NeededCondition, { kind: 'field' }>): string {
  if (is === 'absent') return `no ${field}`;
  if (is === 'nil') return `no ${field}, or null`;
  if (values !== undefined) return `${field} ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
  return types === undefined ? field : `${typeWords(types)} at ${field}`;
}
