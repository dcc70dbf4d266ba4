import { isJsonObject, type JsonObject } from '../http/json.ts';
import { hashText } from '../state/ids.ts';
import { perService, type Service } from '../state/service.ts';
import { makeArguments } from './arguments.ts';
import { countTokens, tokenId, tokenize, tokenText } from './tokens.ts';

/** A message as the stand-in model reads it; `images` is a count. */
export interface Turn {
  readonly role: string;
  readonly text: string;
  readonly images: number;
}

export interface CallableFunction {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/** Tokens of a message in addition to those of its text. */
const TOKENS_PER_TURN = 4;
const TOKENS_PER_IMAGE = 85;
const seededReplies = perService(() => ({ count: 0 }));
/** Words of function names that are too common to identify a function. */
const COMMON_WORDS = new Set('get set the for and current find make this with tool function'.split(' '));

const OPENINGS = [
  'I read your message',
  'Here is what I make of it',
  'Thank you for asking',
  'Let me answer',
];
const CLOSINGS = [
  'Ask me to count, to say something, or to call a tool, and I will do exactly that.',
  'This answer is always the same for the same question.',
  'A stand-in model wrote this, so that nothing about it depends on chance.',
];

/** Maximum number of characters of a prompt searched for instructions and a topic; the patterns backtrack. */
const SEARCHED_LENGTH = 20_000;
const MAX_COUNT = 2_000;

export function readContent(content: unknown): { text: string; images: number } {
  if (typeof content === 'string') return { text: content, images: 0 };
  if (!Array.isArray(content)) return { text: '', images: 0 };
  const texts: string[] = [];
  let images = 0;
  for (const part of content) {
    if (!isJsonObject(part)) continue;
    if (typeof part['text'] === 'string') texts.push(part['text']);
    if (part['type'] === 'image_url' || part['type'] === 'image_file') images += 1;
  }
  return { text: texts.join(' '), images };
}

/** Ignores tools other than functions, and invalid ones. */
export function readTools(tools: unknown): CallableFunction[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    const fn = isJsonObject(tool) ? tool['function'] : null;
    if (!isJsonObject(fn) || typeof fn['name'] !== 'string') return [];
    const description = typeof fn['description'] === 'string' ? fn['description'] : '';
    const parameters = isJsonObject(fn['parameters']) ? fn['parameters'] : {};
    return [{ name: fn['name'], description, parameters }];
  });
}

export function countPromptTokens(turns: readonly Turn[], tools: readonly CallableFunction[]): number {
  const turnTokens = turns.map(
    ({ text, images }) => TOKENS_PER_TURN + countTokens(text) + images * TOKENS_PER_IMAGE,
  );
  const toolTokens = tools.map((tool) => countTokens(JSON.stringify(tool)));
  return [...turnTokens, ...toolTokens].reduce((sum, n) => sum + n, 0);
}

export type FunctionChoice = 'none' | 'auto' | 'required' | { readonly name: string };

interface GenerationRequest {
  readonly turns: readonly Turn[];
  readonly tools: readonly CallableFunction[];
  readonly toolChoice: FunctionChoice;
  readonly isJson: boolean;
  readonly stop: readonly string[];
  /** Whether the text includes the stop sequence that ended it. Default: false. */
  readonly keepsStop?: boolean;
  readonly maxTokens: number | null;
  /** Varies the wording of replies without instructions. */
  readonly variation: number;
  /** Appended to text that is not JSON; differs between replies if the model does not repeat itself. Default: none. */
  readonly ending?: string;
  /** Bias by token id: -100 bans a token, 100 forces it. */
  readonly bias: Readonly<Record<string, number>>;
}

export interface ModelReply {
  /** Tokens whose concatenation is the text; empty if tools are called. */
  readonly tokens: readonly string[];
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'function_call';
  readonly completionTokens: number;
}

export function makeFingerprint(seed: number): string {
  return `fp_${(seed >>> 0).toString(16).padStart(10, '0')}`;
}

/** Returns a new ending for each reply to a request with a seed; empty if equal requests get equal replies. */
export function nextSeededEnding(service: Service, choice: string): string {
  if (service.takes(choice) === 'the same') return '';
  seededReplies(service).count += 1;
  return ` ${seededReplies(service).count}`;
}

/** Equal requests get equal replies. */
export function generateReply(request: GenerationRequest): ModelReply {
  const tools = chooseTools(request);
  if (tools.length > 0) return callTools(tools, request);
  const answer = generateText(request.turns, request.variation);
  const text = request.isJson
    ? JSON.stringify({ answer, words: ['one', 'two', 'three'], ok: true })
    : answer + (request.ending ?? '');
  return limitTokens(text, request);
}

export function limitTokens(
  text: string,
  request: Pick<GenerationRequest, 'stop' | 'keepsStop' | 'maxTokens' | 'bias'>,
): ModelReply {
  const biased = applyBias(tokenize(text), request);
  const biasedText = biased.join('');
  const stops = request.stop.filter((stop) => stop !== '' && biasedText.includes(stop));
  const [first] = stops.toSorted((a, b) => biasedText.indexOf(a) - biasedText.indexOf(b));
  const end =
    first === undefined ? 0 : biasedText.indexOf(first) + (request.keepsStop === true ? first.length : 0);
  const tokens = first === undefined ? biased : tokenize(biasedText.slice(0, end));
  const permitted = request.maxTokens === null ? tokens : tokens.slice(0, request.maxTokens);
  const finish = permitted.length < tokens.length ? 'length' : 'stop';
  return { tokens: permitted, calls: [], finish, completionTokens: permitted.length };
}

/**
 * Removes banned tokens, or returns only a forced one: once more than the limit permits, at most 4097 times, and 65
 * times without a limit. Other values change nothing.
 */
function applyBias(
  tokens: string[],
  { bias, maxTokens }: Pick<GenerationRequest, 'maxTokens' | 'bias'>,
): string[] {
  const biases = Object.entries(bias);
  if (biases.length === 0) return tokens;
  const forced = biases.find(([, value]) => value >= 100);
  // A forced token is always the most likely one, so the model never ends the text itself.
  if (forced !== undefined)
    return Array(Math.min(maxTokens ?? 64, 4096) + 1).fill(tokenText(Number(forced[0])));
  const banned = new Set(biases.filter(([, value]) => value <= -100).map(([id]) => Number(id)));
  return banned.size === 0 ? tokens : tokens.filter((token) => !banned.has(tokenId(token)));
}

/** Chooses the forced tool, those that the last message names if the user wrote it, or the first if one is required. */
function chooseTools({ tools, toolChoice, turns }: GenerationRequest): readonly CallableFunction[] {
  if (tools.length === 0 || toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') return tools.filter(({ name }) => name === toolChoice.name).slice(0, 1);
  const last = turns.at(-1);
  const requested = last?.role === 'user' ? tools.filter((tool) => asksFor(last.text, tool)) : [];
  return toolChoice === 'required' && requested.length === 0 ? tools.slice(0, 1) : requested;
}

/** Whether the text contains the name of the tool or a typical word of it: "weather" for `get_current_weather`. */
function asksFor(text: string, tool: CallableFunction): boolean {
  const lowerCase = text.toLowerCase();
  if (lowerCase.includes(tool.name.toLowerCase())) return true;
  const words = tool.name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length >= 3 && !COMMON_WORDS.has(word));
  return words.some((word) => new RegExp(`\\b${word}`).test(lowerCase));
}

/** Calls the tools in order; the token limit may truncate the arguments and omit further calls. */
function callTools(tools: readonly CallableFunction[], request: GenerationRequest): ModelReply {
  const topic = topicOf(searchedPart(request.turns.findLast(({ role }) => role === 'user')?.text ?? ''));
  const calls: { name: string; arguments: string }[] = [];
  let remaining = request.maxTokens ?? Number.POSITIVE_INFINITY;
  let spent = 0;
  for (const { name, parameters } of tools) {
    if (calls.length > 0 && remaining <= 0) break;
    const argumentTokens = tokenize(JSON.stringify(makeArguments(parameters, topic)));
    const cost = tokenize(name).length;
    const permitted = argumentTokens.slice(0, Math.max(0, remaining - cost));
    calls.push({ name, arguments: permitted.join('') });
    spent += cost + permitted.length;
    remaining -= cost + argumentTokens.length;
  }
  const isCutOff = remaining < 0 || calls.length < tools.length;
  const completionTokens = Math.min(spent, request.maxTokens ?? spent);
  return { tokens: [], calls, finish: isCutOff ? 'length' : 'tool_calls', completionTokens };
}

/** The topic of a request: quoted words, else the last capitalized ones that begin no sentence, else an empty text. */
function topicOf(text: string): string {
  const quoted = /["“](.{1,80}?)["”]/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  const names = text.match(/(?<![.!?]\s|^|[\p{L}\p{N}_])\p{Lu}[\p{L}-]+(?:\s+\p{Lu}[\p{L}-]+)*/gu);
  return names?.at(-1) ?? '';
}

/** `variation` changes only stock replies, not texts that the prompt asks for. */
export function generateText(turns: readonly Turn[], variation: number): string {
  const last = turns.at(-1);
  const prompt = turns.findLast(({ role }) => role === 'user')?.text ?? last?.text ?? '';
  if (last?.role === 'tool' || last?.role === 'function')
    return `The tool answered: ${firstWords(last.text, 40)}`;
  const searched = searchedPart(prompt);
  return requestedText(searched) ?? countUp(searched) ?? stockReply(prompt, last?.images ?? 0, variation);
}

/** Cuts no surrogate pair, because the reply may repeat the end of the part. */
function searchedPart(prompt: string): string {
  return prompt.slice(0, SEARCHED_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

/** Returns the text that a prompt asks for: `say "…"`, `repeat: …`, `please say …`. */
function requestedText(prompt: string): string | null {
  const quoted =
    /\b(?:say|repeat|reply|respond|answer|write|print|output|echo)\b[^"“'\n]{0,60}["“'](.{1,4000}?)["”']/is;
  const after = /\b(?:say|repeat|reply|respond|answer|write|print|output|echo)\b[^:\n]{0,60}:\s*(.+)$/is;
  const plain = /^\s*(?:please\s+)?say\s+(\S.{0,199}?)[.!]?$/is;
  for (const pattern of [quoted, after, plain]) {
    const text = pattern.exec(prompt.trimEnd())?.[1]?.trim();
    if (text !== undefined && text !== '') return text;
  }
  return null;
}

/** Returns the numbers that a prompt such as `count from 3 to 12` or `count to 10` asks for; null if there are none. */
function countUp(prompt: string): string | null {
  const range = /\bcount\b[^\d\n]{0,40}?(?:from\s+(\d{1,6})\D{1,20})?(?:to\s+)?(\d{1,6})/i.exec(prompt);
  if (range === null) return null;
  const from = Number(range[1] ?? 1);
  const to = Math.min(Number(range[2]), from + MAX_COUNT - 1);
  return to < from ? null : Array.from({ length: to - from + 1 }, (_, n) => from + n).join(', ');
}

function stockReply(prompt: string, images: number, variation: number): string {
  const hash = hashText(prompt) + variation * 7;
  const opening = OPENINGS[hash % OPENINGS.length];
  const closing = CLOSINGS[hash % CLOSINGS.length];
  const imageSentence = images > 0 ? ` I see ${images} image${images > 1 ? 's' : ''}.` : '';
  const quote = prompt === '' ? 'You said nothing.' : `You said: ${firstWords(prompt, 24)}`;
  return `${opening}. ${quote}${imageSentence} ${closing}`;
}

function firstWords(text: string, count: number): string {
  const words = text.trim().split(/\s+/);
  return words.length > count ? `${words.slice(0, count).join(' ')} …` : words.join(' ');
}
