import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import { sortKeys } from '../../schemas/json.ts';
import { rowOf } from '../rows/rows.ts';
import { inEvents, setValue } from '../vocabulary/changes.ts';
import { editFrame, frameData } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that } from '../vocabulary/selectors.ts';
import type { Json, StreamedPair, StreamFrame } from '../vocabulary/types.ts';
import { REPLY_CHOICES, type ReplyChoice, textsOfChoices } from './replies.ts';
import { type PairedReply, pairRequirements, sameBothWays, textsOrNull } from './streamed-pairs.ts';

export const [
  chatPairSameChoices,
  chatPairSamePromptTokens,
  chatPairSameText,
  chatPairSameFinishReason,
  chatPairSameCompletionTokens,
] = pairRequirements('chat', REPLY_CHOICES, {
  at: '/choices/*/message/content',
  texts: textsOf,
  groupBy: contentOf,
});

/** Only texts that are equal apart from white space are compared, so sampling rarely causes a difference. */
export const chatPairSameWords = rowOf<StreamedPair>(
  'chat.pair.same-words',
  sameBothWays(REPLY_CHOICES, {
    at: '/choices/*/message/content',
    shows: (reply) => perChoice(reply, (text) => text.trim().split(/\s+/)),
    groupBy: (reply) => perChoice(reply, (text) => text.replaceAll(/\s/g, '')),
  }),
);

/** Two different texts with fewer letters may have the same letters by chance. */
const MIN_LETTERS = 3;

const sameCharacters = sameBothWays(REPLY_CHOICES, {
  at: '/choices/*/message/content',
  // A reply may be cut off within its last character.
  shows: (reply) => perChoice(reply, (text) => text.replace(/\u{FFFD}+$/u, '').replaceAll(/\p{ASCII}/gu, '')),
  groupBy: (reply) =>
    perChoice(reply, (text) => {
      const letters = text.replaceAll(/[^a-z0-9]/gi, '');
      return letters.length < MIN_LETTERS ? text : letters;
    }),
});

/** Texts with the same ASCII letters and digits count as the same: wrong decoding changes only other characters. */
export const chatPairSameCharacters = rowOf<StreamedPair>('chat.pair.same-characters', {
  where: [
    that('with characters beyond ASCII in a reply', ({ plain, streamed }) =>
      [
        ...plain.flatMap(({ answer }) =>
          arrayAt(answer, 'choices').map((choice) => textAt(choice, 'message', 'content') ?? ''),
        ),
        ...streamed.flatMap(({ chunks }) =>
          textsOfChoices(chunks).flatMap((texts) => texts.map(({ text }) => text)),
        ),
      ].some((text) => /[^\p{ASCII}]/u.test(text)),
    ),
    ...sameCharacters.where,
  ],
  check: sameCharacters.check,
});

export const chatPairSameCalls = rowOf<StreamedPair>(
  'chat.pair.same-calls',
  sameBothWays(REPLY_CHOICES, {
    at: '/choices/*/message/tool_calls',
    // Other requirements judge replies that lack the calls that the request forces.
    shows: (reply) =>
      hasCalls(reply) || !forcesCalls(reply.call.requestJson) ? comparableCalls(reply) : undefined,
  }),
);

export const chatPairCallsNotAsText = rowOf<StreamedPair>('chat.pair.calls-not-as-text', {
  ...sameBothWays(REPLY_CHOICES, {
    at: '/choices/*/delta/content',
    shows: (reply) => (hasCalls(reply) ? reply.choices.map(repeatsItsCalls) : undefined),
    groupBy: comparableCalls,
    // Calls in the text of a non-streamed reply are permitted, too.
    describe: (plain, streamed) => {
      const leaking = streamed.choices.find((choice, i) => {
        const same = plain.choices[i];
        return repeatsItsCalls(choice) && same !== undefined && !repeatsItsCalls(same);
      });
      return leaking === undefined
        ? null
        : { expected: 'no arguments of a call in the text, as without streaming', actual: leaking.content };
    },
  }),
  broken_by: {
    'arguments as text as well': inEvents('createChatCompletion', repeatArgumentsAsText('')),
    'arguments behind other text': inEvents('createChatCompletion', repeatArgumentsAsText('I look. ')),
  },
});

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
    groupBy: contentOf,
  }),
);

type Reply = PairedReply<ReplyChoice>;

function textsOf({ choices }: Reply): Json {
  return textsOrNull(choices.map(({ content }) => content));
}

function perChoice({ choices }: Reply, read: (text: string) => Json): Json {
  return choices.map(({ content }) => read(content ?? ''));
}

/** The calls of each choice: names and parsed arguments, because the text of arguments may differ in white space. */
function comparableCalls({ choices }: Reply): Json {
  return choices.map(({ calls }) =>
    calls.map((call) => {
      const text = textAt(call, 'function', 'arguments') ?? '';
      return [textAt(call, 'function', 'name') ?? null, sortKeys(parseBoundedJson(text)?.value ?? text)];
    }),
  );
}

function hasCalls({ choices }: Reply): boolean {
  return choices.some(({ calls }) => calls.length > 0);
}

function repeatsItsCalls({ content, calls }: ReplyChoice): boolean {
  return calls.some((call) => {
    const text = textAt(call, 'function', 'arguments') ?? '';
    return /\w/.test(text) && content?.includes(text) === true;
  });
}

function repeatArgumentsAsText(start: string) {
  return (frames: readonly StreamFrame[]): readonly StreamFrame[] => {
    let before = start;
    return frames.map((frame) => {
      const path = ['choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments'] as const; // as: literal types
      const piece = textAt(frameData(frame), ...path) ?? '';
      if (piece === '') return frame;
      const text = `${before}${piece}`;
      before = '';
      return editFrame(frame, setValue('/choices/0/delta/content', text));
    });
  };
}

function forcesCalls(request: Json | undefined): boolean {
  const choice = valueAtPath(request, 'tool_choice');
  return choice === 'required' || isObject(choice);
}

function contentOf(reply: Reply): Json {
  return [textsOf(reply), comparableCalls(reply)];
}
