// Texts of requests to a model: instructions in them, and texts and lists with nothing in them.
import type { Json, JsonObject } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';
import type { Call } from '../../trace/call.ts';
import { asksForJson } from '../known-state/json-instruction.ts';
import type { KnownObjects } from '../known-state/objects.ts';

/** Whether JSON mode is on though no text that the model reads asks for JSON. */
export function lacksInstruction(body: JsonObject, _call: Call, { tools }: KnownObjects): boolean {
  const { response_format: format, assistant_id: assistant, messages, instructions } = body;
  if (typeof assistant === 'string' && (format === undefined || format === null)) {
    if (!tools.isInJson(assistant) || runTexts(body).some(asksForJson)) return false;
    // Instructions of a run take the place of those of its assistant.
    return typeof instructions === 'string' || !tools.isInstructed(assistant);
  }
  if (!isObject(format) || format['type'] !== 'json_object') return false;
  if (assistant !== undefined) return !runTexts(body).some(asksForJson);
  // An assistant that is only stored gets its messages later.
  return Array.isArray(messages) && !messages.flatMap(instructionsIn).some(asksForJson);
}

/** Whether a text or a list that a model works on is empty, or a message lacks its author or its content. */
export function isMissing(body: JsonObject): boolean {
  const { messages, stop, prompt, input, tools, assistant_id: assistant } = body;
  if (isBlank(input) || hasBlank(stop) || hasBlank(prompt)) return true;
  if (isList(input) && input.some(isBlank)) return true;
  // Stored assistants and runs have no tools by default, in these words.
  if (isEmpty(tools) && messages !== undefined && assistant === undefined) return true;
  return (
    isEmpty(messages) ||
    messagesIn(body).some((message) => !isMessage(message)) ||
    isMissingContent(body['content'])
  );
}

/** Whether a message has an author and content. */
function isMessage(message: Json): boolean {
  if (!isObject(message) || message['role'] === undefined) return false;
  const { content } = message;
  return content !== undefined && !isMissingContent(content);
}

/** Whether content is there and says nothing: a blank text, no parts, or a part with a blank text. */
function isMissingContent(content: Json | undefined): boolean {
  if (isBlank(content) || isEmpty(content)) return true;
  return isList(content) && content.some((part) => isObject(part) && isBlankPart(part));
}

/** The text of a part stands in it, or in an object with its annotations. */
function isBlankPart({ text }: JsonObject): boolean {
  return isBlank(text) || (isObject(text) && isBlank(text['value']));
}

/** Whether the model has spoken all of a conversation, so that nothing is asked of it. */
export function isMonologue({ messages }: JsonObject): boolean {
  return isList(messages) && messages.every((one) => isObject(one) && one['role'] === 'assistant');
}

/** The messages of a request, of its thread and those that are added to it. */
function messagesIn({ messages, thread, additional_messages: more }: JsonObject): readonly Json[] {
  const own = isObject(thread) ? thread['messages'] : undefined;
  return [messages, own, more].flatMap((list) => (isList(list) ? list : []));
}

/** The texts of a run that its model reads. What is in the thread already is not in the request. */
function runTexts(body: JsonObject): readonly string[] {
  const { instructions, additional_instructions: more } = body;
  return [instructions, more]
    .filter((one) => typeof one === 'string')
    .concat(messagesIn(body).flatMap(textsIn));
}

/** The texts of a message that may instruct the model: an earlier message of the model itself does not. */
function instructionsIn(message: Json): readonly string[] {
  return isObject(message) && message['role'] !== 'assistant' ? textsIn(message) : [];
}

/** The texts in the content of a message. */
function textsIn(message: Json): readonly string[] {
  const content = isObject(message) ? message['content'] : undefined;
  if (typeof content === 'string') return [content];
  const parts = isList(content) ? content : [];
  return parts.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
}

/** Whether a list is empty or a text blank, or an element of the list is. */
function hasBlank(value: Json | undefined): boolean {
  return (
    isBlank(value) ||
    (isList(value) && (value.length === 0 || value.some((one) => isBlank(one) || isEmpty(one))))
  );
}

/** Whether a text has no sign that can be seen. */
function isBlank(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function isEmpty(value: Json | undefined): boolean {
  return isList(value) && value.length === 0;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
