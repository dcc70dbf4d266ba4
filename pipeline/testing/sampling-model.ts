import { createHash } from 'node:crypto';
import type { Json } from '../../schemas/json.ts';
import { valueAtPointer } from '../../schemas/pointer.ts';

export const VOCABULARY = [
  'north',
  'tea',
  ' of',
  ' 7',
  ', 8',
  ' 9',
  'assay',
  '.',
  ' 12',
  'ist',
  ' blue',
  '{',
  '"',
];
/** Maximum number of responses generated concurrently; further requests wait. */
const SLOTS = 2;

export const PROBABILITY = {
  busy: 0.02,
  wordsInsteadOfCall: 0.35,
  proseInsteadOfJson: 0.4,
  pastStop: 0.4,
  secondEnds: 0.2,
} as const;

/** The fields that the server reads. It trusts most of their types, because only the suite sends requests. */
export interface CompletionRequest {
  readonly model?: unknown;
  readonly messages?: unknown;
  readonly prompt?: unknown;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly n?: number;
  readonly max_tokens?: number;
  readonly stop?: string | readonly string[] | null;
  readonly logprobs?: boolean | number | null;
  readonly top_logprobs?: number;
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[] | null;
  readonly tool_choice?: unknown;
  readonly response_format?: { readonly type?: string } | null;
}

export class Sampler {
  #state: number;

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readInt32BE();
  }

  /** The next pseudo-random number in [0, 1), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  drawTokens(maxTokens: number): readonly string[] {
    const count = 1 + Math.floor(this.next() * maxTokens);
    return Array.from({ length: count }, () => VOCABULARY[Math.floor(this.next() * VOCABULARY.length)] ?? '');
  }
}

export class SmallModel {
  readonly #seed: number;
  readonly #requestCounts = new Map<string, number>();
  #free = SLOTS;
  readonly #waiting: (() => void)[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Samples depend on the seed, the request and how often it was sent, not on other requests. */
  createSampler(request: string): Sampler {
    const repetition = (this.#requestCounts.get(request) ?? 0) + 1;
    this.#requestCounts.set(request, repetition);
    return new Sampler(`${this.#seed} ${repetition} ${request}`);
  }

  async runInSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

export interface Sample {
  readonly tokens: readonly string[];
  /** Name of the called function. */
  readonly call: string | null;
  readonly finish: 'stop' | 'length' | 'tool_calls';
}

export function drawSample(sampler: Sampler, body: CompletionRequest): Sample {
  const name = calledFunction(body);
  if (name !== null && !sampler.happens(PROBABILITY.wordsInsteadOfCall))
    return { tokens: ['{}'], call: name, finish: 'tool_calls' };
  if (body.response_format?.type === 'json_object' && !sampler.happens(PROBABILITY.proseInsteadOfJson))
    return { tokens: ['{"', `${Math.floor(sampler.next() * 100)}`, '": 1}'], call: null, finish: 'stop' };
  const maxTokens = Math.min(Number(body.max_tokens ?? 16), 40);
  const tokens = sampler.drawTokens(maxTokens);
  const stops = [body.stop ?? []].flat();
  const end = tokens.findIndex((token) => stops.some((stop) => token.includes(stop)));
  // Defect: with the probability `pastStop`, the model ignores the stop sequence.
  if (end !== -1 && !sampler.happens(PROBABILITY.pastStop))
    return { tokens: tokens.slice(0, end), call: null, finish: 'stop' };
  return { tokens, call: null, finish: tokens.length === maxTokens ? 'length' : 'stop' };
}

function calledFunction({ tools, tool_choice: choice }: CompletionRequest): string | null {
  if (!Array.isArray(tools) || tools.length === 0 || choice === 'none') return null;
  const names = [choice, tools[0]].map((one) => valueAtPointer(one as Json, '/function/name')); // as: both are from JSON
  return names.find((name) => typeof name === 'string') ?? null;
}
