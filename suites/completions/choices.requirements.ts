import { choiceOf } from '../rows/rows.ts';
import { inEveryResponse, inResponse, setIn, setValue } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { agreement, beyond, equality, keysOf } from '../vocabulary/choice-values.ts';
import { withJsonResponse, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, settled, where } from '../vocabulary/selectors.ts';
import type { Exchange, Json, StreamedPair } from '../vocabulary/types.ts';
import { OTHER_MODEL } from './samples.ts';
import { allTextCompletions, promptsOf, textCompletions } from './texts.ts';

const TEXTS = 'createCompletion';

const candidates = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((token) => [token, -1]));

const answered = where(requests(TEXTS), settled);

export const completionsNDefault = choiceOf('completions.n.default', {
  selector: allTextCompletions,
  taken: ({ asked, choices }) => {
    const prompts = promptsOf(asked).length;
    if (prompts === 0 || choices.length < prompts) return null;
    return choices.length === prompts ? 'once' : 'several times';
  },
});

export const completionsIndexOrder = choiceOf('completions.index.order', {
  selector: where(
    textCompletions,
    ({ asked }) =>
      valueAtPath(asked, 'echo') === true && (numberAt(asked, 'n') ?? 1) > 1 && promptsOf(asked).length > 1,
  ),
  taken: ({ asked, choices }) => {
    const prompts = promptsOf(asked);
    const n = numberAt(asked, 'n') ?? 1;
    const at = choices
      .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
      .map((one) => prompts.findIndex((prompt) => prompt !== null && one.text?.startsWith(prompt)));
    if (at.every((prompt, i) => prompt === Math.floor(i / n))) return 'prompt by prompt';
    return at.every((prompt, i) => prompt === i % prompts.length) ? 'in turn' : 'otherwise';
  },
  examples: { 'in turn': inResponse(TEXTS, inTurn) },
});

const CUSTOMARY = ['stop', 'length'];

export const completionsFinishReasonValues = choiceOf('completions.finish-reason.values', {
  selector: textCompletions,
  taken: ({ choices }) =>
    beyond(
      choices.map(({ finish }) => finish),
      CUSTOMARY,
      'stop and length',
    ),
});

export const completionsUsageTokenPrompt = choiceOf('completions.usage.token-prompt', {
  selector: where(textCompletions, ({ asked }) => tokensSent(asked) !== null),
  taken: ({ asked, usage }) =>
    agreement(numberAt(usage, 'prompt_tokens'), tokensSent(asked), 'as many as sent', 'another number'),
});

export const completionsLogprobsForm = choiceOf('completions.logprobs.form', {
  selector: textCompletions,
  taken: ({ choices }) => keysOf(choices.flatMap(({ logprobs }) => logprobs)[0]?.value) ?? 'no object',
});

export const completionsLogprobsCount = choiceOf('completions.logprobs.count', {
  selector: textCompletions,
  taken: ({ asked, choices }) => {
    const places = choices.flatMap(({ logprobs }) =>
      logprobs.flatMap(({ value }) => arrayAt(value, 'top_logprobs')),
    );
    const sizes = places.filter(isObject).map((place) => Object.keys(place).length);
    const isShown = choices.some(({ logprobs }) => logprobs.length > 0);
    if (sizes.length === 0) return isShown ? 'none' : null;
    const most = numberAt(asked, 'logprobs') ?? 0;
    return Math.max(...sizes) > most ? 'one more' : 'as many as asked for at most';
  },
  examples: { 'one more': setIn(TEXTS, '/choices/*/logprobs/top_logprobs/0', candidates) },
});

export const completionsSuffixOtherModels = choiceOf('completions.suffix.other-models', {
  selector: where(answered, ({ call }) => namesOtherModel(call.exchange)),
  taken: outcome('taken'),
  examples: {
    taken: (trace) => trace.map((one) => (namesOtherModel(one) ? withJsonResponse(one, 200, {}) : one)),
  },
});

export const completionsSeedRepeats = choiceOf<StreamedPair>('completions.seed.repeats', {
  taken: ({ plain }) =>
    equality(
      plain.map(({ answer }) => arrayAt(answer, 'choices').map((one) => valueAtPath(one, 'text') ?? null)),
      'the same',
      'another one',
    ),
  examples: {
    'another one': inEveryResponse(TEXTS, (exchange) =>
      withResponseJson(exchange, setValue('/choices/*/text', `text of ${exchange.id}`)),
    ),
  },
});

/** Whether a request was sent to learn whether another model takes a suffix. */
function namesOtherModel({ probe }: Exchange): boolean {
  return probe?.keyword === OTHER_MODEL;
}

/** How many tokens the prompts of a request are, where they are no texts; else null. */
function tokensSent(asked: Json | undefined): number | null {
  const prompts = arrayAt(asked, 'prompt');
  return prompts.length === 0 || prompts.some((one) => typeof one === 'string')
    ? null
    : prompts.flat().length;
}

/** The choices of two prompts, each continued twice, numbered 0 2 1 3. */
function inTurn(answer: Json): Json {
  const places = [0, 2, 1, 3];
  const choices = arrayAt(answer, 'choices').map((one, i) => setValue('/index', places[i] ?? i)(one));
  return setValue('/choices', choices)(answer);
}
