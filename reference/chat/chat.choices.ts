import {
  type Alternative,
  answersByOther,
  type ChoiceTable,
  elementsOf,
  objectOf,
} from '../deviations/alternatives.ts';
import type { JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { modelRoles } from '../model/catalogue.ts';

const WHOLE = 'chat.completion';
const CHUNK = 'chat.completion.chunk';

export const choices: ChoiceTable = {
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
  'chat.model.unknown': {
    usual: 'refused',
    others: { answered: answersByOther('createChatCompletion', modelRoles.chat) },
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

function eachToken(change: (token: JsonObject) => JsonObject): Alternative {
  return eachChoice((choice) => {
    const { content } = objectOf(choice['logprobs']);
    if (!Array.isArray(content)) return choice;
    return { ...choice, logprobs: { content: content.map((token) => change(objectOf(token))) } };
  });
}
