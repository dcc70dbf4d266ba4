import { perService, type Service } from '../state/service.ts';
import { makeArguments } from './arguments.ts';
import type { CallableFunction, Turn } from './conversation.ts';
import { speak, speakJson } from './speech.ts';
import { tokenId, tokenize, tokenText } from './tokens.ts';

export type FunctionChoice = 'none' | 'auto' | 'required' | { readonly name: string };

interface GenerationRequest {
  readonly turns: readonly Turn[];
  readonly tools: readonly CallableFunction[];
  readonly toolChoice: FunctionChoice;
  readonly json: boolean;
  readonly stop: readonly string[];
  /** True if the text includes the stop sequence that ended it. Default: the text ends before it. */
  readonly keepsStop?: boolean;
  readonly maxTokens: number | null;
  /** Varies the wording of replies without instructions: index of the choice, seed. */
  readonly variation: number;
  /** Appended to the text; differs between replies of a model that does not repeat itself. Default: none. */
  readonly ending?: string;
  /** Bias by token id: -100 bans a token, 100 forces it. */
  readonly bias: Readonly<Record<string, number>>;
}

export interface ModelReply {
  /** Joined they are the text. Empty if tools are called. */
  readonly tokens: readonly string[];
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'function_call';
  readonly completionTokens: number;
}

export function fingerprint(seed: number): string {
  return `fp_${(seed >>> 0).toString(16).padStart(10, '0')}`;
}

const seeded = perService(() => ({ count: 0 }));

/** Ends replies to requests with a seed differently each time, if the service takes that alternative of the choice. */
export function seededEnding(service: Service, choice: string): string {
  if (service.takes(choice) === 'the same') return '';
  seeded(service).count += 1;
  return ` ${seeded(service).count}`;
}

/** Depends on the request only, so equal requests have equal replies. */
export function generate(ask: GenerationRequest): ModelReply {
  const called = chooseTools(ask);
  if (called.length > 0) return callTools(called, ask);
  const text = ask.json
    ? speakJson(ask.turns, ask.variation)
    : speak(ask.turns, ask.variation) + (ask.ending ?? '');
  return limitTokens(text, ask);
}

export function limitTokens(
  text: string,
  ask: Pick<GenerationRequest, 'stop' | 'keepsStop' | 'maxTokens' | 'bias'>,
): ModelReply {
  const biased = applyBias(tokenize(text), ask);
  const whole = biased.join('');
  const marks = ask.stop.filter((mark) => mark !== '' && whole.includes(mark));
  const [mark] = marks.toSorted((a, b) => whole.indexOf(a) - whole.indexOf(b));
  const end = mark === undefined ? 0 : whole.indexOf(mark) + (ask.keepsStop === true ? mark.length : 0);
  const tokens = mark === undefined ? biased : tokenize(whole.slice(0, end));
  const kept = ask.maxTokens === null ? tokens : tokens.slice(0, ask.maxTokens);
  const finish = kept.length < tokens.length ? 'length' : 'stop';
  return { tokens: kept, calls: [], finish, completionTokens: kept.length };
}

/** Removes banned tokens, or repeats a forced one up to the limit; other values change nothing. */
function applyBias(
  tokens: string[],
  { bias, maxTokens }: Pick<GenerationRequest, 'maxTokens' | 'bias'>,
): string[] {
  const biases = Object.entries(bias);
  if (biases.length === 0) return tokens;
  const forced = biases.find(([, value]) => value >= 100);
  // A forced token is always the most likely one, so only the token limit ends the text.
  if (forced !== undefined)
    return Array(Math.min(maxTokens ?? 64, 4096) + 1).fill(tokenText(Number(forced[0])));
  const banned = new Set(biases.filter(([, value]) => value <= -100).map(([id]) => Number(id)));
  return banned.size === 0 ? tokens : tokens.filter((token) => !banned.has(tokenId(token)));
}

/** The tools to call: the forced one, one of them where required, those that the user's last words ask for. */
function chooseTools({ tools, toolChoice, turns }: GenerationRequest): readonly CallableFunction[] {
  if (tools.length === 0 || toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') return tools.filter(({ name }) => name === toolChoice.name).slice(0, 1);
  const last = turns.at(-1);
  const wanted = last?.role === 'user' ? tools.filter((tool) => asksFor(last.text, tool)) : [];
  return toolChoice === 'required' && wanted.length === 0 ? tools.slice(0, 1) : wanted;
}

/** Words of function names that are too common to identify a function. */
const idle = new Set([
  'get',
  'set',
  'the',
  'for',
  'and',
  'current',
  'find',
  'make',
  'this',
  'with',
  'tool',
  'function',
]);

/**
 * True if the text contains the name of the tool or a characteristic word of it: "weather" for `get_current_weather`.
 */
function asksFor(text: string, tool: CallableFunction): boolean {
  const said = text.toLowerCase();
  if (said.includes(tool.name.toLowerCase())) return true;
  const words = tool.name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length >= 3 && !idle.has(word));
  return words.some((word) => new RegExp(`\\b${word}`).test(said));
}

/** The calls with arguments that conform to their schemas; the token limit truncates the arguments. */
function callTools(tools: readonly CallableFunction[], ask: GenerationRequest): ModelReply {
  const topic = topicOf(ask.turns.findLast(({ role }) => role === 'user')?.text ?? '');
  const calls: { name: string; arguments: string }[] = [];
  let left = ask.maxTokens ?? Number.POSITIVE_INFINITY;
  let spent = 0;
  for (const { name, parameters } of tools) {
    if (calls.length > 0 && left <= 0) break;
    const written = tokenize(JSON.stringify(makeArguments(parameters, topic)));
    const cost = tokenize(name).length;
    const kept = written.slice(0, Math.max(0, left - cost));
    calls.push({ name, arguments: kept.join('') });
    spent += cost + kept.length;
    left -= cost + written.length;
  }
  const limited = ask.maxTokens !== null && left < 0;
  const completionTokens = Math.min(spent, ask.maxTokens ?? spent);
  return { tokens: [], calls, finish: limited ? 'length' : 'tool_calls', completionTokens };
}

/** The topic of a request: quoted words, else its last capitalized words, else the empty string. */
function topicOf(text: string): string {
  const quoted = /["“](.{1,80}?)["”]/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  const names = text.match(/(?<![.!?]\s|^)\b\p{Lu}[\p{L}-]+(?:\s+\p{Lu}[\p{L}-]+)*/gu);
  return names?.at(-1) ?? '';
}
