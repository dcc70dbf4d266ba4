import type { MissingSetting, Obstacle, StopReason } from '../../exchange/note.ts';
import { printable } from '../../exchange/printable.ts';
import type { Arrival, Cause, ExpectedFrom, Received } from '../../judge/verdict/cause.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { compact, plural } from '../../schemas/message-text.ts';
import { type WordsByKind, wordsByKind } from './by-kind.ts';
import { blameWords, breakdownWords } from './diagnosis.ts';
import { neededWords } from './needed.ts';

export const STOP_CLAUSES: Readonly<Record<StopReason, string>> = {
  completed: 'the run completed',
  interrupted: 'the run was interrupted',
  budget: 'the run stopped at its budget',
  'target-unreachable': 'no operation of the target could be reached',
  'target-died': 'the target stopped answering during the run',
};

const MAX_NAMED_EVENTS = 12;

/** Causes with the same `head` can be listed together; `detail` may be empty. */
export interface CauseText {
  readonly head: string;
  readonly joint: ': ' | ' ';
  readonly detail: string;
  readonly exchange?: string;
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
  'target-error': ({ exchange }) => textOfExchange('the target answered 5xx', exchange),
  model: ({ exchange }) => textOfExchange('the model answered differently, as it may', exchange),
  deadline: ({ exchange, state }) => textOf('deadline passed', `at ${exchange}, last state ${state}`, ' '),
  erratum: ({ id, reason }) => textOf(id, reason),
  'scenario-crashed': ({ scenario, message }) => textOf(`scenario ${scenario} crashed`, message),
  defect: ({ message }) => textOf(message, ''),
};

function textOf(head: string, detail: string, joint: CauseText['joint'] = ': '): CauseText {
  return { head, joint, detail };
}

function textOfExchange(head: string, exchange: string): CauseText {
  return { head, joint: ' ', detail: `(${exchange})`, exchange };
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

function expectedWords(expected: ExpectedFrom): string {
  const { needed, nearest = [] } = expected;
  const near = nearest.length === 0 ? '' : `; nearest ${nearest.join(', ')}`;
  return `${receivedFromWords(expected)}${needed === undefined ? '' : `, ${neededWords(needed)}`}${near}`;
}

export function receivedFromWords({ scenario, scenarios = 1, received }: ExpectedFrom): string {
  const answers = received.map(receivedWords);
  const who = scenarios === 1 ? `scenario ${scenario}` : `${scenarios} scenarios`;
  return `${who} received ${answers.length === 0 ? 'nothing' : answers.join('; ')}`;
}

function receivedWords({ operation, statuses, emptyPages, events }: Received): string {
  const counts = Object.entries(statuses).map(([code, n]) => (n === 1 ? code : `${code} (${n}×)`));
  const more = events.length > MAX_NAMED_EVENTS ? [`${events.length - MAX_NAMED_EVENTS} more`] : [];
  return compact(
    `${operation} ${counts.join(', ')}`,
    emptyPages > 0 && `with ${plural(emptyPages, 'empty page')}`,
    events.length > 0 && `with the events ${[...events.slice(0, MAX_NAMED_EVENTS), ...more].join(', ')}`,
  ).join(' ');
}

export function obstacleWords(obstacle: Obstacle): string {
  const request = `${obstacle.method} ${obstacle.path}`;
  const code = 'status' in obstacle ? (obstacle.status ?? 'nothing') : '';
  const answer = `${request} answered ${code}`;
  return wordsByKind(obstacle, 'kind', {
    answered: () => answer,
    unreadable: () => `${answer} without a readable body`,
    late: () => `${answer}, perhaps because it came too late`,
    undecided: () => `${answer}, no rejection`,
    control: () => `${answer} to a valid request`,
    context: () => `${answer}: it exceeds the context of the model`,
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
