// Texts of requests to a model: instructions in them, and texts and lists with nothing in them.
import type { Json, JsonObject } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';

/** Whether JSON mode is on though no text that the model reads asks for JSON. */
export function lacksInstruction(body: JsonObject): boolean {
  const { response_format: format, assistant_id: assistant, messages } = body;
  if (!isObject(format) || format['type'] !== 'json_object') return false;
  if (assistant !== undefined) return !runTexts(body).some(asksForJson);
  // An assistant that is only stored gets its messages later.
  return Array.isArray(messages) && !messages.flatMap(instructionsIn).some(asksForJson);
}

/** Whether a text or a list that a model works on is empty, or a message lacks its author or its content. */
export function isMissing(body: JsonObject): boolean {
  const { messages, stop, prompt, input, tools, assistant_id: assistant } = body;
  if (prompt === '' || input === '' || hasBlank(stop) || hasBlank(prompt)) return true;
  if (isList(input) && input.includes('')) return true;
  // Stored assistants and runs have no tools by default, in these words.
  if (isEmpty(tools) && messages !== undefined && assistant === undefined) return true;
  return (
    isEmpty(messages) || messagesIn(body).some((message) => !isMessage(message)) || body['content'] === ''
  );
}

/** Whether a message has an author and content. */
function isMessage(message: Json): boolean {
  if (!isObject(message) || message['role'] === undefined) return false;
  const { content } = message;
  return content !== undefined && content !== '' && !isEmpty(content);
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

/** The texts of a message by the caller: what the model said before is no instruction. */
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

/** Every language calls it by this name. */
function asksForJson(text: string): boolean {
  return /json/i.test(text);
}

/** Whether a list, or a text, is empty, or an element of the list is. */
function hasBlank(value: Json | undefined): boolean {
  return (
    value === '' || (isList(value) && (value.length === 0 || value.some((one) => one === '' || isEmpty(one))))
  );
}

function isEmpty(value: Json | undefined): boolean {
  return isList(value) && value.length === 0;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
