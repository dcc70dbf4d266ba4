// JSON mode and the instruction that has to come with it, in requests of chat completions.
// The same of assistants is an exclusion: the instruction may stand in another request.
import type { Json } from '../../exchange/http/body.ts';
import { requests, where } from '../../judge/evidence/calls.ts';
import { section, violation } from '../../judge/requirements/define.ts';
import type { Mutation } from '../../judge/requirements/requirement.ts';
import { arrayAt, isObject, textAt } from '../../judge/trace/json.ts';
import { inRequest } from '../../proof/mutations/requests.ts';
import { setValue } from '../../proof/mutations/values.ts';

const { stated } = section('2 Chat completions');

/** The operation whose request holds all of its messages. */
const CHAT = ['createChatCompletion'];

/** The instructions of a request as texts; null where one is not a text, so that it may say anything. */
function instructionsOf(asked: Json | undefined): readonly string[] | null {
  const texts: string[] = [];
  for (const message of arrayAt(asked, 'messages')) {
    const role = textAt(message, 'role');
    if (role !== 'system' && role !== 'user') continue;
    const content = isObject(message) ? message['content'] : undefined;
    const parts = Array.isArray(content) ? content.map((part) => textAt(part, 'text')) : [content];
    for (const part of parts) {
      if (typeof part !== 'string') return null;
      texts.push(part);
    }
  }
  return texts;
}

/** Requests for JSON mode with these messages. */
function inJsonMode(messages: Json): Mutation {
  const mode = setValue('/response_format', { type: 'json_object' });
  return inRequest(CHAT, mode, setValue('/messages', messages));
}

/**
 * The instruction may be in any language and in any words, but none asks for JSON without its name. Requests with parts that
 * are not texts are left out: a picture may hold the instruction.
 */
export const clientChatJsonMode = stated('client.chat.json-mode', {
  says: 'A client that asks for JSON mode also asks for JSON in a system or user message.',
  selector: where(
    requests(CHAT),
    ({ asked }) =>
      textAt(asked, 'response_format', 'type') === 'json_object' && instructionsOf(asked) !== null,
  ),
  check: ({ asked }) => {
    const texts = instructionsOf(asked) ?? [];
    if (texts.some((text) => /json/i.test(text))) return [];
    return [violation('request /messages', 'an instruction to write JSON', texts[0])];
  },
  mutations: {
    'no word of JSON': inJsonMode([{ role: 'user', content: 'Name three colours.' }]),
    'said by the assistant alone': inJsonMode([
      { role: 'user', content: [{ type: 'text', text: 'Name three colours.' }] },
      { role: 'assistant', content: 'Here is JSON.' },
    ]),
  },
});
