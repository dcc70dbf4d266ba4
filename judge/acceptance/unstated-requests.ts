import { mediaTypeOf } from '../../exchange/http/content.ts';
import { isJsonList, type Json, type JsonObject } from '../../schemas/json.ts';
import { bodyOf } from '../probe/request-violations.ts';
import type { Call } from '../trace/call.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../trace/json.ts';
import { asksForJson, toolName } from './assistant-settings.ts';
import { fileIdsIn } from './attached-files.ts';
import { bodyFeatures } from './body-features.ts';
import type { KnownObjects } from './known-objects.ts';
import { hasRefusableHeaders } from './refusable-headers.ts';
import { countWrittenMembers, writtenNumbers } from './written-json.ts';

/**
 * Checks for requests that a target may refuse although they violate no constraint, by the id of the exclusion in
 * `suites/exclusions.json`.
 */
export const UNSTATED_CHECKS: Readonly<Record<string, UnstatedCheck>> = {
  'service.accepts.json-mode-without-instruction': lacksInstruction,
  'service.accepts.forced-tool-that-is-missing': choosesMissingTool,
  'service.accepts.other-function-schemas': (body) =>
    functionsIn(body).some(({ parameters }) => parameters !== undefined && !isPlainParameters(parameters)),
  'service.accepts.other-function-names': hasOtherNames,
  'service.accepts.other-tokens': hasOtherTokens,
  'service.accepts.other-numbers': hasOtherNumber,
  'service.accepts.empty-texts': hasEmptyText,
  'service.accepts.one-file-twice': (body, call, objects) =>
    ![fileIdsIn(body), ...idLists(body)].every(isDistinct) ||
    (call.operation.id === 'createFineTuningJob' && !isDistinct(objects.files.contentsIn(call) ?? [])),
  'service.accepts.files-of-other-purposes': (body, _call, { files }) =>
    namedFiles(body).some((id) => !ASSISTANT_PURPOSES.has(files.purposeOf(id) ?? 'assistants')),
  'service.accepts.monologues': ({ messages }, { operation }) =>
    operation.id === 'createChatCompletion' &&
    isJsonList(messages) &&
    messages.every((message) => textAt(message, 'role') === 'assistant'),
  'service.accepts.other-writing': isWrittenOtherwise,
  'service.accepts.other-names-of-models': ({ suffix }, { operation }) =>
    operation.id === 'createFineTuningJob' && typeof suffix === 'string' && !/^[A-Za-z0-9-]+$/.test(suffix),
  'service.accepts.other-languages': ({ language }) => language !== undefined && !LANGUAGES.has(language),
};

const ASSISTANT_PURPOSES: ReadonlySet<string> = new Set(['assistants', 'assistants_output', 'vision']);
const FILE_FIELDS: ReadonlySet<string> = new Set(['file_id', 'file_ids']);

/** Ranges that every service supports, for numbers whose range is not stated. */
const SUPPORTED_RANGES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  n: [1, 10],
  best_of: [1, 10],
  top_logprobs: [0, 5],
  logprobs: [0, 5],
  max_tokens: [1, Number.MAX_SAFE_INTEGER],
  max_prompt_tokens: [1, Number.MAX_SAFE_INTEGER],
  max_completion_tokens: [1, Number.MAX_SAFE_INTEGER],
  top_p: [Number.MIN_VALUE, 1],
  // Signed 32-bit integers are the narrowest type in which services store a seed.
  seed: [0, 2 ** 31 - 1],
};

/** Every vocabulary that covers all bytes has the token ids below this number. */
const COMMON_TOKENS = 256;
/** Names of functions and parameters that every service supports. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const PLAIN_TYPES: readonly Json[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const PLAIN_KEYWORDS: readonly string[] = ['type', 'description', 'enum', 'properties', 'required', 'items'];
const OBJECT_KEYWORDS: ReadonlySet<string> = new Set(['properties', 'required']);

type UnstatedCheck = (body: JsonObject, call: Call, objects: KnownObjects) => boolean;

/** Languages that every speech model supports, by code or name. */
const LANGUAGES: ReadonlySet<Json> = new Set(['de', 'en', 'english', 'es', 'fr', 'it', 'ja', 'pt', 'zh']);

export function isUnstatedRequest(call: Call, objects: KnownObjects): boolean {
  const { requestJson: body } = call;
  return isObject(body) && Object.values(UNSTATED_CHECKS).some((holds) => holds(body, call, objects));
}

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

function namedFiles(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namedFiles);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    FILE_FIELDS.has(name) ? [inner].flat().filter((id) => typeof id === 'string') : namedFiles(inner),
  );
}

function idLists({ tool_resources: resources }: JsonObject): readonly (readonly Json[])[] {
  const tools = isObject(resources) ? Object.values(resources).filter(isObject) : [];
  return tools.flatMap((tool) => Object.values(tool).filter((ids) => Array.isArray(ids)));
}

function hasOtherNumber(body: JsonObject): boolean {
  const isOutside = Object.entries(SUPPORTED_RANGES).some(([name, [min, max]]) => {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    return typeof value === 'number' && (value < min || value > max);
  });
  return isOutside || (numberAt(body, 'expires_after', 'duration') ?? 1) < 1;
}

function hasOtherTokens({ logit_bias: bias, prompt }: JsonObject): boolean {
  const biasedTokens = isObject(bias) ? Object.keys(bias) : [];
  if (!biasedTokens.every((id) => /^(0|[1-9]\d{0,2})$/.test(id) && isCommonToken(Number(id)))) return true;
  const prompts: readonly Json[] = Array.isArray(prompt) ? prompt.flat() : [];
  return prompts.some((token) => typeof token === 'number' && !isCommonToken(token));
}

function isCommonToken(token: number): boolean {
  return token >= 0 && token < COMMON_TOKENS;
}

function lacksInstruction(body: JsonObject, _call: Call, { assistants }: KnownObjects): boolean {
  const { response_format: format, assistant_id: assistant, messages, instructions } = body;
  const isUnset = format === undefined || format === null;
  const wantsJson = isObject(format) && format['type'] === 'json_object';
  if (typeof assistant === 'string') {
    if (!(isUnset ? assistants.usesJsonMode(assistant) : wantsJson) || runTexts(body).some(asksForJson))
      return false;
    // The instructions of a run replace those of its assistant.
    return typeof instructions === 'string' || !assistants.hasJsonInstructions(assistant);
  }
  if (!wantsJson) return false;
  // A stored assistant gets its messages later.
  return Array.isArray(messages) && !messages.flatMap(instructionsIn).some(asksForJson);
}

function hasEmptyText(body: JsonObject): boolean {
  const { messages, stop, prompt, input, tools, assistant_id: assistant } = body;
  if ([input, stop, prompt].some(hasBlank)) return true;
  // For stored assistants and runs, an empty list is the documented default.
  if (isEmpty(tools) && messages !== undefined && assistant === undefined) return true;
  return (
    isEmpty(messages) ||
    messagesIn(body).some((message) => !isMessage(message)) ||
    isMissingContent(body['content'])
  );
}

function isMessage(message: Json): boolean {
  if (!isObject(message) || message['role'] === undefined) return false;
  const { content } = message;
  return content !== undefined && !isMissingContent(content);
}

function isMissingContent(content: Json | undefined): boolean {
  if (isBlank(content) || isEmpty(content)) return true;
  return isJsonList(content) && content.some((part) => isObject(part) && isBlankPart(part));
}

function isBlankPart({ text }: JsonObject): boolean {
  return isBlank(text) || (isObject(text) && isBlank(text['value']));
}

function messagesIn({ messages, thread, additional_messages: more }: JsonObject): readonly Json[] {
  return [messages, valueAtPath(thread, 'messages'), more].flatMap((list) => (isJsonList(list) ? list : []));
}

function runTexts(body: JsonObject): readonly string[] {
  const { instructions, additional_instructions: more } = body;
  return [instructions, more]
    .filter((text) => typeof text === 'string')
    .concat(messagesIn(body).flatMap(instructionsIn));
}

function instructionsIn(message: Json): readonly string[] {
  return isObject(message) && message['role'] !== 'assistant' ? textsIn(message) : [];
}

function textsIn(message: Json): readonly string[] {
  const content = textAt(message, 'content');
  if (content !== undefined) return [content];
  return arrayAt(message, 'content').flatMap((part) => textAt(part, 'text') ?? []);
}

function hasBlank(value: Json | undefined): boolean {
  if (isBlank(value) || isEmpty(value)) return true;
  return isJsonList(value) && value.some((element) => isBlank(element) || isEmpty(element));
}

function isBlank(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function isEmpty(value: Json | undefined): boolean {
  return isJsonList(value) && value.length === 0;
}

function hasOtherNames(body: JsonObject): boolean {
  if (!isDistinct(arrayAt(body, 'tools').map(toolName))) return true;
  return !functionsIn(body).every(({ name }) => PLAIN_NAME.test(String(name)));
}

function choosesMissingTool(body: JsonObject, _call: Call, objects: KnownObjects): boolean {
  const { tool_choice: choice, assistant_id: assistant, tools } = body;
  // Without tools the default is `none`; the specification describes no other choice.
  if (choice === 'auto' && assistant === undefined) return !Array.isArray(tools) || tools.length === 0;
  if (choice !== 'required' && !isObject(choice)) return false;
  const assistantTools = typeof assistant === 'string' ? objects.assistants.toolNamesOf(assistant) : [];
  const names = Array.isArray(tools) ? tools.map(toolName) : assistantTools;
  if (names === null) return true;
  return isObject(choice) ? !names.includes(toolName(choice)) : names.length === 0;
}

function functionsIn(body: JsonObject): readonly JsonObject[] {
  return arrayAt(body, 'tools')
    .map((tool) => valueAtPath(tool, 'function'))
    .filter(isObject);
}

/** Whether a function takes named parameters of one type each: services support different dialects of JSON Schema. */
function isPlainParameters(parameters: Json): boolean {
  return isObject(parameters) && parameters['type'] === 'object' && isPlainSchema(parameters);
}

function isPlainSchema(schema: Json): boolean {
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => PLAIN_KEYWORDS.includes(keyword)))
    return false;
  const { type, description = '', enum: values, properties = {}, required = [], items } = schema;
  if (type === undefined || !PLAIN_TYPES.includes(type) || typeof description !== 'string') return false;
  if (values !== undefined && (type !== 'string' || !isWordList(values))) return false;
  if (!isObject(properties) || !Object.keys(properties).every((name) => PLAIN_NAME.test(name))) return false;
  if (type !== 'object' && Object.keys(schema).some((keyword) => OBJECT_KEYWORDS.has(keyword))) return false;
  if (!Object.values(properties).every(isPlainSchema)) return false;
  if (!Array.isArray(required) || !isDistinct(required)) return false;
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return false;
  return type === 'array' ? items !== undefined && isPlainSchema(items) : items === undefined;
}

function isWordList(value: Json): boolean {
  if (!Array.isArray(value) || value.length === 0 || !isDistinct(value)) return false;
  return value.every((word) => typeof word === 'string' && word.trim() !== '');
}

function isWrittenOtherwise(body: JsonObject, call: Call): boolean {
  const { request } = call.exchange;
  if (hasRefusableHeaders(call)) return true;
  // An escaped backslash before `u0000` is text, not NUL.
  if (/(?<!\\)(?:\\\\)*\\u0000/.test(JSON.stringify(body))) return true;
  if (call.variant?.body?.carrier !== 'json') return false;
  if (mediaTypeOf(request.headers)?.essence !== 'application/json') return true;
  const text = request.body.text ?? '';
  return countWrittenMembers(text) > countMembers(body) || hasOtherInteger(text, call);
}

function hasOtherInteger(json: string, call: Call): boolean {
  const others = [...writtenNumbers(json)].filter(([, text]) => /[.e]/i.test(text));
  const body = others.length === 0 ? null : bodyOf(call);
  if (body === null) return false;
  const numbers = new Map(others);
  const { visits } = bodyFeatures(body.tree, body.value);
  return visits.some(
    ({ node, at }) =>
      numbers.has(at) && (node.types?.includes('integer') ?? false) && !node.types?.includes('number'),
  );
}

function countMembers(value: Json): number {
  if (Array.isArray(value)) return value.reduce((sum: number, element) => sum + countMembers(element), 0);
  if (!isObject(value)) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + 1 + countMembers(member), 0);
}
