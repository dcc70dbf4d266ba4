import {
  type Alternative,
  answersByOther,
  type ChoiceTable,
  elementsOf,
  inPlace,
  objectOf,
  refuses,
  shown,
} from '../deviations/alternatives.ts';
import type { JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { modelRoles } from '../model/catalogue.ts';

const CHAT = ['createChatCompletion'];
const WHOLE = 'chat.completion';
const CHUNK = 'chat.completion.chunk';
/** Fields whose default is null, although their type does not list null. */
const NULL_BY_DEFAULT = ['logit_bias', 'response_format', 'tools'];

export const choices: ChoiceTable = {
  'chat.content.beside-calls': {
    usual: 'null',
    others: {
      text: eachPart((part) => (part['content'] === null ? { ...part, content: 'I will look.' } : part)),
    },
  },
  'chat.finish-reason.at-limit': {
    usual: 'length',
    others: { stop: finishes((reason) => (reason === 'length' ? 'stop' : reason)) },
  },
  'chat.finish-reason.forced-call': {
    usual: 'tool_calls',
    others: {
      stop: finishes((reason, _, { body }) =>
        reason === 'tool_calls' && typeof objectOf(body['tool_choice'])['function'] === 'object'
          ? 'stop'
          : reason,
      ),
    },
  },
  'chat.finish-reason.values': {
    usual: 'only those seen',
    others: {
      'others too': {
        ...finishes((reason, { index }) => (index !== 0 && reason === 'stop' ? 'content_filter' : reason)),
        reported: 'also content_filter',
      },
    },
  },
  'chat.logprobs.bytes': {
    usual: 'numbers',
    others: {
      null: eachToken((token) => ({
        ...token,
        bytes: null,
        top_logprobs: elementsOf(token['top_logprobs']).map((one) => ({ ...objectOf(one), bytes: null })),
      })),
    },
  },
  'chat.logprobs.candidate-count': {
    usual: 'exactly',
    others: {
      'fewer somewhere': eachToken((token) => ({
        ...token,
        top_logprobs: elementsOf(token['top_logprobs']).slice(0, -1),
      })),
    },
  },
  'chat.logprobs.tokens-joined': {
    usual: 'the content',
    others: {
      'another text': eachToken((token) => ({ ...token, token: String(token['token']).replace(/^ ?/, '▁') })),
    },
  },
  'chat.message.null-content': {
    usual: 'accepted',
    others: {
      refused: refuses(CHAT, ({ body }) =>
        elementsOf(body['messages']).some((message) => objectOf(message)['content'] === null),
      ),
    },
  },
  'chat.model.echo': {
    usual: 'as requested',
    others: { 'another name': eachAnswer((answer) => ({ ...answer, model: `${answer['model']}-0613` })) },
  },
  'chat.model.unknown': {
    usual: 'refused',
    others: { answered: answersByOther('createChatCompletion', modelRoles.chat) },
  },
  'chat.request.null-by-default': {
    usual: 'accepted',
    others: {
      refused: refuses([...CHAT, 'createCompletion'], ({ body }) =>
        NULL_BY_DEFAULT.some((name) => body[name] === null),
      ),
    },
  },
  'chat.seed.repeats': { usual: 'the same', others: { 'another one': inPlace } },
  'chat.stop.kept': { usual: 'not in the content', others: { kept: inPlace } },
  'chat.stream.role': {
    usual: 'the first',
    others: {
      'every one': shown(CHUNK, (chunk) => withParts(chunk, (part) => ({ role: 'assistant', ...part }))),
    },
  },
  'chat.stream.same-model': {
    usual: 'the same',
    others: {
      'different ones': shown(CHUNK, (chunk) =>
        elementsOf(chunk['choices']).some((choice) => objectOf(choice)['finish_reason'] !== null)
          ? { ...chunk, system_fingerprint: 'fp_of_another_server' }
          : chunk,
      ),
    },
  },
  'chat.stream.usage-before-the-last': {
    usual: 'absent',
    others: {
      null: shown(CHUNK, (chunk, { body }) =>
        objectOf(body['stream_options'])['include_usage'] === true ? { usage: null, ...chunk } : chunk,
      ),
    },
  },
};

function eachAnswer(change: (answer: JsonObject, request: HandlerRequest) => JsonObject): Alternative {
  return { shows: { [WHOLE]: change, [CHUNK]: change } };
}

function eachChoice(change: (choice: JsonObject, request: HandlerRequest) => JsonObject): Alternative {
  return eachAnswer((answer, request) => ({
    ...answer,
    choices: elementsOf(answer['choices']).map((choice) => change(objectOf(choice), request)),
  }));
}

function finishes(
  change: (reason: unknown, choice: JsonObject, request: HandlerRequest) => unknown,
): Alternative {
  return eachChoice((choice, request) => {
    const reason = change(choice['finish_reason'], choice, request);
    return { ...choice, finish_reason: typeof reason === 'string' ? reason : null };
  });
}

function eachPart(change: (part: JsonObject) => JsonObject): Alternative {
  return eachAnswer((answer) => withParts(answer, change));
}

function withParts(answer: JsonObject, change: (part: JsonObject) => JsonObject): JsonObject {
  const parts = elementsOf(answer['choices']).map((choice) => {
    const { message, delta, ...rest } = objectOf(choice);
    return message === undefined
      ? { ...rest, delta: change(objectOf(delta)) }
      : { ...rest, message: change(objectOf(message)) };
  });
  return { ...answer, choices: parts };
}

function eachToken(change: (token: JsonObject) => JsonObject): Alternative {
  return eachChoice((choice) => {
    const { content } = objectOf(choice['logprobs']);
    if (!Array.isArray(content)) return choice;
    return { ...choice, logprobs: { content: content.map((token) => change(objectOf(token))) } };
  });
}
