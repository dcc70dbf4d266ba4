import { sortKeys } from '../../exchange/matching/request-key.ts';
import { parsedJson } from '../../schemas/json.ts';
import { refusedStreamRequirement } from '../generate/streams.ts';
import { rowOf } from '../rows/rows.ts';
import { inEvents, setValue } from '../vocabulary/changes.ts';
import { editFrame } from '../vocabulary/exchanges.ts';
import { isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type {
  Json,
  JsonEvent,
  Mutation,
  StreamEvidence,
  StreamedPair,
  StreamFrame,
} from '../vocabulary/types.ts';
import { garbled, type StreamedText, wholeCharacters } from './characters.ts';
import {
  byChoice,
  completionTokens,
  finishReasons,
  otherChoices,
  otherPromptTokens,
  type PairedReply,
  sameBothWays,
  textsOrNull,
} from './completions.ts';
import { REPLY_CHOICES, type ReplyChoice } from './replies.ts';

const CHAT = 'createChatCompletion';
const TEXT = '/choices/*/delta/content';

export const chatPairSameChoices = rowOf<StreamedPair>('chat.pair.same-choices', { check: otherChoices });

export const chatPairSamePromptTokens = rowOf<StreamedPair>('chat.pair.same-prompt-tokens', {
  check: otherPromptTokens,
});

export const chatPairSameText = rowOf<StreamedPair>(
  'chat.pair.same-text',
  sameBothWays(REPLY_CHOICES, { at: '/choices/*/message/content', shows: textsOf }),
);

/** Texts of the same letters are the same text, whatever a model samples. */
export const chatPairSameWords = rowOf<StreamedPair>('chat.pair.same-words', {
  ...sameBothWays(REPLY_CHOICES, {
    at: '/choices/*/message/content',
    shows: (reply) => perChoice(reply, (text) => text.trim().split(/\s+/)),
    among: (reply) => perChoice(reply, (text) => text.replaceAll(/\s/g, '')),
  }),
  broken_by: {
    'each delta is trimmed': inDeltas((text) => text.trim()),
    'white space is lost': inDeltas((text) => text.replaceAll(/\s/g, '')),
  },
});

export const chatPairSameCalls = rowOf<StreamedPair>(
  'chat.pair.same-calls',
  sameBothWays(REPLY_CHOICES, {
    at: '/choices/*/message/tool_calls',
    // Other requirements judge streams that lack calls which the request forces.
    shows: (reply) =>
      hasCalls(reply) || !forcesCalls(reply.call.requestJson) ? callsShown(reply) : undefined,
  }),
);

export const chatPairSameFinishReason = rowOf<StreamedPair>(
  'chat.pair.same-finish-reason',
  sameBothWays(REPLY_CHOICES, { at: '/choices/*/finish_reason', shows: finishReasons, among: contentOf }),
);

export const chatPairSameCompletionTokens = rowOf<StreamedPair>(
  'chat.pair.same-completion-tokens',
  sameBothWays(REPLY_CHOICES, {
    at: '/usage/completion_tokens',
    shows: completionTokens,
    among: contentOf,
  }),
);

export const chatPairSameTokens = rowOf<StreamedPair>(
  'chat.pair.same-tokens',
  sameBothWays(REPLY_CHOICES, {
    at: '/choices/*/logprobs/content/*/token',
    shows: ({ choices }) => {
      const tokens = choices.map((choice) =>
        choice.tokens?.map(({ entry }) => textAt(entry, 'token') ?? null),
      );
      return tokens.every((list) => list !== undefined) ? tokens : undefined;
    },
    among: contentOf,
  }),
);

type Reply = PairedReply<ReplyChoice>;

function textsOf({ choices }: Reply): Json {
  return textsOrNull(choices.map(({ content }) => content));
}

function perChoice({ choices }: Reply, read: (text: string) => Json): Json {
  return choices.map(({ content }) => read(content ?? ''));
}

function inDeltas(change: (text: string) => string): Mutation {
  return inEvents(CHAT, (frames) =>
    frames.map((frame) =>
      editFrame(
        frame,
        setValue(TEXT, (old) => (typeof old === 'string' ? change(old) : (old ?? null))),
      ),
    ),
  );
}

/** The calls of each choice: names, and the values of the arguments, whose text may have other white space. */
function callsShown({ choices }: Reply): Json {
  return choices.map(({ calls }) =>
    calls.map((call) => {
      const text = textAt(call, 'function', 'arguments') ?? '';
      return [textAt(call, 'function', 'name') ?? null, sortKeys(parsedJson(text) ?? text)];
    }),
  );
}

function hasCalls({ choices }: Reply): boolean {
  return choices.some(({ calls }) => calls.length > 0);
}

function forcesCalls(asked: Json | undefined): boolean {
  const choice = valueAtPath(asked, 'tool_choice');
  return choice === 'required' || isObject(choice);
}

function contentOf(reply: Reply): Json {
  return [textsOf(reply), callsShown(reply)];
}

export const chatStreamRefusedByStatus = refusedStreamRequirement({
  id: 'chat.stream.refused-by-status',
  spec: '2 Chat completions',
  operations: ['createChatCompletion'],
});

export const chatStreamDeltasAreNew = rowOf<StreamEvidence>('chat.stream.deltas-are-new', {
  where: [
    that('with three texts of a choice', ({ chunks }) =>
      textsOfChoices(chunks).some((texts) => texts.length >= FEWEST_TEXTS),
    ),
  ],
  check: ({ chunks }) =>
    textsOfChoices(chunks).flatMap((texts) => {
      const [last] = texts.slice(-1);
      return last !== undefined && isGrowing(texts)
        ? [violation(last.at, 'the new piece alone', last.text)]
        : [];
    }),
  broken_by: {
    'the text so far': inEvents(CHAT, growing('')),
    'the text so far behind a space': inEvents(CHAT, growing(' ')),
  },
});

export const chatStreamWholeCharacters = rowOf<StreamEvidence>('chat.stream.whole-characters', {
  ...wholeCharacters(({ chunks }) => textsOfChoices(chunks)),
  broken_by: {
    'each letter in two parts': inEvents(CHAT, garbled(TEXT, 2)),
    'each letter in one mark': inEvents(CHAT, garbled(TEXT, 1)),
  },
});

export const chatStreamChoiceIndexesCountUp = rowOf<StreamEvidence>('chat.stream.choice-indexes-count-up', {
  check: ({ chunks }) => {
    const choices = byChoice(chunks);
    return choices
      .filter(({ index }) => index >= choices.length)
      .map(({ index, parts }) =>
        violation(`${parts[0]?.at ?? ''}/index`, `less than ${choices.length}`, index),
      );
  },
});

/** Fewer texts may be prefixes of one another by chance. */
const FEWEST_TEXTS = 3;

/** The non-empty texts of each choice, in order. */
function textsOfChoices(chunks: readonly JsonEvent[]): readonly (readonly StreamedText[])[] {
  return byChoice(chunks).map(({ parts }) =>
    parts.flatMap(({ at, piece }) => {
      const text = textAt(piece, 'delta', 'content') ?? '';
      return text === '' ? [] : [{ at: `${at}/delta/content`, text }];
    }),
  );
}

/** Whether each text begins with the previous one, and is longer. */
function isGrowing(texts: readonly StreamedText[]): boolean {
  return (
    texts.length >= FEWEST_TEXTS &&
    texts.every(({ text }, i) => {
      const before = texts[i - 1]?.text ?? '';
      return text.startsWith(before) && text.length > before.length;
    })
  );
}

/** Each text with the texts before it. */
function growing(start: string) {
  return (frames: readonly StreamFrame[]): readonly StreamFrame[] => {
    let soFar = start;
    return frames.map((frame) =>
      editFrame(
        frame,
        setValue('/choices/0/delta/content', (old) => {
          soFar += typeof old === 'string' ? old : '';
          return typeof old === 'string' && old !== '' ? soFar : (old ?? null);
        }),
      ),
    );
  };
}
