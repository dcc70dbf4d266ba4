// What clients of wide use return for broken answers: the evidence of the requirements with the basis `clients`.
import { startReference } from '../../pipeline/faulty-reference/faulty-reference.ts';
import type { Json } from '../../schemas/json.ts';

/** A client that asks a service the questions, each as its users would. */
export interface AskingClient {
  readonly name: string;
  ask(question: Question, baseUrl: string): Promise<Answer>;
}

export interface Question {
  readonly prompt: string;
  readonly streamed: boolean;
  /** Names of the functions that it gives. Default: none. */
  readonly functions?: readonly string[];
  /** `required`, or the name of the function to call. Default: the model decides. */
  readonly choice?: string;
  readonly n?: number;
}

/** What the user of a client gets. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly id: Json; readonly name: Json; readonly arguments: Json }[];
  readonly finish: Json;
  readonly total: Json;
}

const FUNCTIONS = ['get_weather', 'get_forecast'];
const BOTH = 'What are the weather and the forecast in Paris?';

export const QUESTIONS: Readonly<Record<string, Question>> = {
  'calls in a stream': { prompt: BOTH, streamed: true, functions: FUNCTIONS },
  'a forced call in a stream': { prompt: BOTH, streamed: true, functions: FUNCTIONS, choice: 'get_weather' },
  'a required call in a stream': { prompt: BOTH, streamed: true, functions: FUNCTIONS, choice: 'required' },
  'text in a stream': { prompt: 'Say "Grüße, 東京, 🎉, ok."', streamed: true },
  calls: { prompt: BOTH, streamed: false, functions: FUNCTIONS },
  text: { prompt: 'Say "Grüße, 東京, 🎉, ok."', streamed: false },
};

/** What a client returns for one question, or the words of its error. */
export type Outcome = Answer | { readonly error: string };

/** The outcomes of all questions before a reference with a fault, or without. */
export async function outcomesOf(
  client: AskingClient,
  fault?: string,
): Promise<Readonly<Record<string, Outcome>>> {
  const reference = await startReference({
    clock: () => 1_700_000_000_000,
    ...(fault !== undefined && { fault }),
  });
  try {
    const outcomes: Record<string, Outcome> = {};
    for (const [name, question] of Object.entries(QUESTIONS)) {
      outcomes[name] = await client
        .ask(question, reference.url)
        .catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }));
    }
    return outcomes;
  } finally {
    await reference.close();
  }
}

/** The first difference from the outcomes of a correct answer in words; null where the client bears the fault. */
export function damage(
  good: Readonly<Record<string, Outcome>>,
  broken: Readonly<Record<string, Outcome>>,
): string | null {
  for (const [question, outcome] of Object.entries(broken)) {
    const before = good[question];
    if ('error' in outcome) return `${question}: fails, ${shortened(outcome.error)}`;
    if (before === undefined || 'error' in before) continue;
    for (const field of ['calls', 'text', 'finish', 'total'] as const) {
      if (JSON.stringify(outcome[field]) !== JSON.stringify(before[field]))
        return `${question}: ${field} ${shortened(JSON.stringify(outcome[field]))}`;
    }
  }
  return null;
}

/** Letters of a value or message in the table. */
const LONGEST = 120;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
