import {
  type Alternative,
  allOf,
  answersByOther,
  type ChoiceTable,
  dropFields,
  elementsOf,
  events,
  intercepting,
  objectOf,
  reads,
  showField,
} from '../deviations/alternatives.ts';
import type { FaultyEvent } from '../deviations/changes.ts';
import type { Json, JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { modelRoles } from '../model/catalogue.ts';

const TEXTS = ['createCompletion'];
const KIND = 'text_completion';

export const choices: ChoiceTable = {
  'completions.best-of.streamed': { usual: 'refused', others: { 'answered in one piece': answeredWhole() } },
  'completions.logprobs.count': {
    usual: 'as many as asked for at most',
    others: {
      'one more': eachLogprobs((logprobs) => ({
        ...logprobs,
        top_logprobs: elementsOf(logprobs['top_logprobs']).map((place) =>
          Object.keys(objectOf(place)).length === 0 ? place : { ...objectOf(place), ' (another token)': -9 },
        ),
      })),
    },
  },
  'completions.logprobs.form': {
    usual: 'text_offset, token_logprobs, tokens, top_logprobs',
    others: {
      content: {
        ...eachLogprobs(({ tokens, token_logprobs: numbers }) => ({
          content: elementsOf(tokens).map((token, i) => ({ token, logprob: elementsOf(numbers)[i] ?? null })),
        })),
        hides: ['completions.logprobs.count'],
      },
    },
  },
  'completions.model.unknown': {
    usual: 'refused',
    others: { answered: answersByOther('createCompletion', modelRoles.completion) },
  },
  'completions.stream.last-piece': { usual: 'no text', others: { text: events(TEXTS, endingWithText) } },
  'completions.stream.usage': {
    usual: 'an extra last one if requested',
    others: {
      'the one that ends': usageIn((_, isLast) => isLast),
      'every one': usageIn(() => true),
      'none if requested': usageIn(() => false),
    },
  },
  'completions.usage.token-prompt': {
    usual: 'as many as sent',
    others: {
      'another number': showField(KIND, (answer, { body }) => {
        const usage = objectOf(answer['usage']);
        if (!('prompt_tokens' in usage) || !isOfTokens(body['prompt'])) return answer;
        const [prompt, total] = [usage['prompt_tokens'], usage['total_tokens']].map((n) => Number(n) + 1);
        return { ...answer, usage: { ...usage, prompt_tokens: prompt ?? 0, total_tokens: total ?? 0 } };
      }),
    },
  },
};

/** Turns off streaming for requests with best_of, because the request schema rejects both together. */
function answeredWhole(): Alternative {
  return intercepting(TEXTS, {
    body: (body) => {
      const sent = objectOf(body);
      return typeof sent['best_of'] === 'number' && sent['stream'] === true
        ? dropFields(sent, ['stream', 'stream_options'])
        : body;
    },
  });
}

function eachChoice(change: (choice: JsonObject, request: HandlerRequest) => JsonObject): Alternative {
  return showField(KIND, (answer, request) => ({
    ...answer,
    choices: elementsOf(answer['choices']).map((choice) => change(objectOf(choice), request)),
  }));
}

function eachLogprobs(change: (logprobs: JsonObject) => JsonObject): Alternative {
  return eachChoice((choice) => {
    const { logprobs } = choice;
    return (logprobs ?? null) === null ? choice : { ...choice, logprobs: change(objectOf(logprobs)) };
  });
}

/** The only choice of a piece; undefined for the usage and for `[DONE]`. */
function choiceIn({ data }: FaultyEvent): JsonObject | undefined {
  const [choice] = elementsOf(objectOf(data)['choices']);
  return choice === undefined ? undefined : objectOf(choice);
}

/** Moves the finish reason to the last piece with text, and drops the empty piece after it. */
function endingWithText(all: readonly FaultyEvent[]): readonly FaultyEvent[] {
  const pieces = all.map((event) => ({ event, choice: choiceIn(event) }));
  return pieces.flatMap(({ event, choice }, i) => {
    if (choice === undefined) return [event];
    const next = pieces.slice(i + 1).find((other) => other.choice?.['index'] === choice['index'])?.choice;
    const before = pieces.slice(0, i).some((other) => other.choice?.['index'] === choice['index']);
    if (choice['finish_reason'] !== null && choice['text'] === '' && before) return [];
    const reason =
      next?.['text'] === '' ? (next['finish_reason'] ?? null) : (choice['finish_reason'] ?? null);
    return [{ ...event, data: { ...objectOf(event.data), choices: [{ ...choice, finish_reason: reason }] } }];
  });
}

/** Puts usage, requested or not, into the pieces for which `isMeant` is true. */
function usageIn(isMeant: (event: FaultyEvent, isLast: boolean) => boolean): Alternative {
  const asking = reads(TEXTS, (body) =>
    body['stream'] === true ? { ...body, stream_options: { include_usage: true } } : body,
  );
  return allOf([asking, events(TEXTS, (all) => withUsageIn(all, isMeant))]);
}

function withUsageIn(
  all: readonly FaultyEvent[],
  isMeant: (event: FaultyEvent, isLast: boolean) => boolean,
): readonly FaultyEvent[] {
  const usage = all.map(({ data }) => objectOf(data)['usage']).find((one) => one !== undefined) ?? null;
  const last = all.findLast((event) => choiceIn(event) !== undefined);
  return all.flatMap((event) => {
    if (event.data === '[DONE]') return [event];
    if (choiceIn(event) === undefined) return [];
    return isMeant(event, event === last)
      ? [{ ...event, data: { ...objectOf(event.data), usage } }]
      : [event];
  });
}

function isOfTokens(prompt: Json | undefined): boolean {
  return Array.isArray(prompt) && prompt.length > 0 && prompt.every((one) => typeof one !== 'string');
}
