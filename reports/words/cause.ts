// Turns causes into words. This folder is the only place that does: everywhere else causes are typed facts.
import type { Obstacle } from '../../exchange/note.ts';
import type { Arrival, Cause, ExpectedFrom, Received } from '../../judge/verdict/cause.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { printable } from '../failure/excerpt.ts';
import { blameWords, breakdownWords } from './breakdown.ts';
import { plural } from './figure.ts';
import { neededWords } from './needed.ts';

/** Names of events of one operation that are printed. */
const MAX_EVENTS = 12;

/**
 * A cause in words. `head` names the kind, so that causes of one kind can be listed together; `detail` may be
 * empty.
 */
export interface CauseText {
  readonly head: string;
  /** Text between head and detail. */
  readonly joint: ': ' | ' ';
  readonly detail: string;
}

/** A cause on one line. */
export function causeWords(cause: Cause): string {
  const { head, joint, detail } = causeText(cause);
  return detail === '' ? head : `${head}${joint}${detail}`;
}

/** A cause in its parts. */
export function causeText(cause: Cause): CauseText {
  switch (cause.kind) {
    case 'not-claimed':
    case 'filtered':
    case 'not-allowed':
    case 'not-configured':
      // The kind is the head, so that a summary can count all requirements that one option leaves out.
      return apart(cause.kind, skipDetail(cause));
    case 'not-feasible':
      return apart(cause.kind, cause.says);
    case 'not-implemented':
      return apart(cause.kind, cause.operations.join(', '));
    case 'blocked':
      return apart(cause.kind, `${cause.exchange} ${obstacleWords(cause.obstacle)}`);
    case 'no-evidence':
      return apart(cause.kind, cause.expected === undefined ? '' : expectedWords(cause.expected));
    case 'capacity':
    case 'protocol':
    case 'authentication':
      return apart(cause.kind, `${arrivalWords(cause.arrival)} (${cause.exchange})`);
    case 'breakdown':
      return apart(breakdownWords(cause.faults), blameWords(cause.faults));
    // A response that is nested too deeply is refused by the parser of assay, to protect its stack.
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

/** Causes that one answer shows. */
const ANSWERED = {
  'target-error': 'the target answered 5xx',
  model: 'the model answered otherwise, as it may',
} as const;

/** A cause with a colon before its detail. */
function apart(head: string, detail: string): CauseText {
  return { head, joint: ': ', detail };
}

/** A cause whose detail continues the sentence. */
function beside(head: string, detail: string): CauseText {
  return { head, joint: ' ', detail };
}

/** Causes that depend on the options of a run. */
type SkipCause = Extract<
  Cause,
  { readonly kind: 'not-claimed' | 'filtered' | 'not-allowed' | 'not-configured' }
>;

/** The option or the configuration that is missing. */
function skipDetail(cause: SkipCause): string {
  // Reports of version 0.1 stored a text; it is printed as it is.
  if ('detail' in cause) return cause.detail;
  switch (cause.kind) {
    case 'not-claimed':
      return cause.family === null ? '' : `family ${cause.family}`;
    case 'filtered':
      return cause.by === null ? '' : `--${cause.by.option} ${cause.by.globs.join(',')}`.trimEnd();
    case 'not-allowed':
      return `--allow ${cause.cost}`;
    case 'not-configured':
      return cause.missing.what === 'key' ? 'API key' : `model role ${cause.missing.role}`;
    default:
      return cause satisfies never;
  }
}

/** How an unusable response arrived. Null: the target had no capacity, or did not respond in time. */
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

/** A scenario without the evidence that it gives elsewhere: `scenario runs.forced received createRun 200 (2×), none with …`. */
function expectedWords(expected: ExpectedFrom): string {
  const { needed, nearest = [] } = expected;
  const near = nearest.length === 0 ? '' : `; nearest ${nearest.join(', ')}`;
  return `${receivedFromWords(expected)}${needed === undefined ? '' : `, ${neededWords(needed)}`}${near}`;
}

/** What one scenario received, or several together: `scenario runs.forced received createRun 200 (2×)`. */
export function receivedFromWords({ scenario, scenarios = 1, received }: ExpectedFrom): string {
  const answers = received.map(receivedWords);
  const who = scenarios === 1 ? `scenario ${scenario}` : `${scenarios} scenarios`;
  return `${who} received ${answers.length === 0 ? 'nothing' : answers.join('; ')}`;
}

/** What one operation answered: statuses with their number, empty pages, names of events. */
function receivedWords({ operation, statuses, emptyPages, events }: Received): string {
  const counts = Object.entries(statuses).map(([code, n]) => (n === 1 ? code : `${code} (${n}×)`));
  const more = events.length > MAX_EVENTS ? [`${events.length - MAX_EVENTS} more`] : [];
  return [
    `${operation} ${counts.join(', ')}`,
    ...(emptyPages === 0 ? [] : [`with ${plural(emptyPages, 'empty page')}`]),
    ...(events.length === 0
      ? []
      : [`with the events ${[...events.slice(0, MAX_EVENTS), ...more].join(', ')}`]),
  ].join(' ');
}

/** An obstacle in words: `POST /v1/files answered 500`. */
export function obstacleWords(obstacle: Obstacle): string {
  if (obstacle.kind === 'text') return obstacle.message;
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
    // The code or message of the error says what is wrong with the request, often with its model.
    case 'base':
      return `the base request ${request} is refused: ${status(obstacle)}${obstacle.said === null ? '' : ` ${obstacle.said}`}`;
    case 'unanswered':
      return `${request} ${obstacle.detail ?? 'was not answered'}`;
    case 'no-text':
      return `${request} answered without a text at ${obstacle.pointer}`;
    case 'no-object':
      return `${request} answered without a ${obstacle.object}`;
    // The state is that of the object that a scenario needed in another one.
    case 'other-state':
      return `${request} answered with the state ${obstacle.state ?? 'unknown'}, not ${obstacle.needed}`;
    default:
      return obstacle satisfies never;
  }
}

/** A status; `nothing` if no response arrived. */
function status({ status: code }: { readonly status: number | null }): string {
  return code === null ? 'nothing' : String(code);
}

/** What kept how many requirements from being judged, in one sentence without a full stop. */
export function blockerWords({
  exchange,
  exchanges = 1,
  message,
  requirements,
}: Omit<Judgement['blockers'][number], 'obstacle'> & { readonly message: string }): string {
  const by = exchanges === 1 ? `exchange ${exchange}` : `${exchanges} exchanges, the first ${exchange}`;
  return `${plural(requirements, 'requirement')} blocked by ${by}: ${printable(message)}`;
}
