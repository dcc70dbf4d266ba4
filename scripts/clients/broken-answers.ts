import { truncateText } from '../../exchange/printable.ts';
import { startReference } from '../../pipeline/faulty-reference/faulty-reference.ts';
import { messageOf } from '../../schemas/error-message.ts';
import type { Json } from '../../schemas/json.ts';

export interface AskingClient {
  readonly name: string;
  /** Null if the client is not asked questions of this kind. */
  ask(question: Question, baseUrl: string): Promise<Answer | null>;
}

export interface Question {
  /** The API that the client calls; for `file`, `prompt` is the name of the file. */
  readonly kind: 'chat' | 'text' | 'run' | 'file';
  readonly prompt: string;
  readonly isStreamed: boolean;
  readonly functions?: readonly string[];
  /** `required`, or the name of the function to call. Default: the model decides. */
  readonly choice?: string;
  /** The result of an earlier call in the conversation. Default: there was no call. */
  readonly result?: string;
}

export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly id: Json; readonly name: Json; readonly arguments: Json }[];
  /** Number of functions that the client has executed; absent for clients that leave this to the caller. */
  readonly executed?: number;
  /** Total tokens, as the client shows them; null if it shows none. */
  readonly total: Json;
}

const COMPARED_FIELDS = ['calls', 'text', 'executed', 'total'] as const; // as: literal types
/** Maximum length of a value or message in the table, with the ellipsis of a longer one. */
const MAX_TEXT_LENGTH = 111;
const FUNCTIONS = ['get_weather', 'get_forecast'];
const NON_ASCII_PROMPT = 'Say "Grüße, 東京, 🎉, ok."';
const BOTH_CALLS_PROMPT = 'What are the weather and the forecast in Paris?';
const CALLS: Question = { kind: 'chat', prompt: BOTH_CALLS_PROMPT, isStreamed: false, functions: FUNCTIONS };
const STREAMED_CALLS: Question = { ...CALLS, isStreamed: true };

export const QUESTIONS: Readonly<Record<string, Question>> = {
  'calls in a stream': STREAMED_CALLS,
  'a forced call in a stream': { ...STREAMED_CALLS, choice: 'get_weather' },
  'a required call in a stream': { ...STREAMED_CALLS, choice: 'required' },
  'text in a stream': { kind: 'chat', prompt: NON_ASCII_PROMPT, isStreamed: true },
  calls: CALLS,
  text: { kind: 'chat', prompt: NON_ASCII_PROMPT, isStreamed: false },
  'a text completion': { kind: 'text', prompt: 'Count to 5', isStreamed: false },
  'the result of a call': { ...CALLS, result: 'sunny' },
  'a file': { kind: 'file', prompt: 'Grüße, 東京, 🎉.txt', isStreamed: false },
  'a run': { kind: 'run', prompt: 'Count to 5', isStreamed: true },
  'the text of a run': { kind: 'run', prompt: NON_ASCII_PROMPT, isStreamed: true },
  'calls of a run': { ...STREAMED_CALLS, kind: 'run' },
};

/** Null if the client is not asked the question. */
export type Outcome = Answer | { readonly error: string } | null;

export type Outcomes = Readonly<Record<string, Outcome>>;

export async function askAllQuestions(client: AskingClient, fault?: string): Promise<Outcomes> {
  const reference = await startReference({
    clock: () => 1_700_000_000_000,
    ...(fault !== undefined && { fault }),
  });
  try {
    const outcomes: Record<string, Outcome> = {};
    for (const [name, question] of Object.entries(QUESTIONS))
      outcomes[name] = await captureOutcome(() => client.ask(question, reference.url));
    return outcomes;
  } finally {
    await reference.close();
  }
}

/** Counts unhandled rejections as errors, because openai 4 also rejects a promise that its callers cannot reach. */
function captureOutcome(ask: () => Promise<Answer | null>): Promise<Outcome> {
  return new Promise((resolve) => {
    const fail = (error: unknown): void => resolve({ error: messageOf(error) });
    process.on('unhandledRejection', fail);
    void ask()
      .then(resolve, fail)
      .finally(() => process.off('unhandledRejection', fail));
  });
}

/** Describes the first difference from the outcomes of correct answers; null if the client shows none. */
export function describeDamage(good: Outcomes, broken: Outcomes): string | null {
  for (const [question, outcome] of Object.entries(broken)) {
    const before = good[question] ?? null;
    if (outcome === null || before === null || 'error' in before) continue;
    if ('error' in outcome) return `${question}: fails with ${tableText(outcome.error)}`;
    const knownIds = before.calls.map(({ id }) => id);
    const [after, expected] = [numberIds(outcome, knownIds), numberIds(before, knownIds)];
    const damaged = COMPARED_FIELDS.find(
      (field) => JSON.stringify(after[field]) !== JSON.stringify(expected[field]),
    );
    if (damaged !== undefined) return `${question}: ${damaged} ${tableText(JSON.stringify(after[damaged]))}`;
  }
  return null;
}

/**
 * The answer with each id replaced by its number, because clients invent ids and a fault may change them. The ids
 * of correct answers are numbered first, so that equal and new ids can be distinguished.
 */
function numberIds(answer: Answer, knownIds: readonly Json[]): Answer {
  const ids = [...new Set([...knownIds, ...answer.calls.map(({ id }) => id)])].filter(isPresent);
  return {
    ...answer,
    calls: answer.calls.map((call) =>
      isPresent(call.id) ? { ...call, id: `id_${ids.indexOf(call.id) + 1}` } : call,
    ),
  };
}

function isPresent(id: Json): boolean {
  return id !== null && id !== '';
}

function tableText(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(/[`|]/g, "'");
  return `\`${truncateText(line, MAX_TEXT_LENGTH)}\``;
}
