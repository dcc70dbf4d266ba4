import { choiceOf } from '../rows/rows.ts';
import { inResponse, setValue } from '../vocabulary/changes.ts';
import { arrayAt, isObject, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { streams, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';
import { textCompletions } from './texts.ts';

const OPERATION = 'createCompletion';

export const completionsIndexOrder = choiceOf('completions.index.order', {
  selector: where(
    textCompletions,
    ({ asked, choices, due, are_distinct }) =>
      valueAtPath(asked, 'echo') === true &&
      (numberAt(asked, 'n') ?? 1) > 1 &&
      choices.length === due() &&
      are_distinct(),
  ),
  taken: ({ asked, choices, prompts }) => {
    const n = numberAt(asked, 'n') ?? 1;
    const promptIndexes = choices
      .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
      .map(({ text }) => prompts.findIndex((prompt) => prompt !== null && text?.startsWith(prompt)));
    if (promptIndexes.every((prompt, i) => prompt === Math.floor(i / n))) return 'prompt by prompt';
    return promptIndexes.every((prompt, i) => prompt === i % prompts.length) ? 'in turn' : 'otherwise';
  },
  examples: { 'in turn': inResponse(OPERATION, renumberInTurn) },
});

/** Numbers the choices of two prompts, each continued twice, as 0 2 1 3. */
function renumberInTurn(answer: Json): Json {
  const indexes = [0, 2, 1, 3];
  const choices = arrayAt(answer, 'choices').map((one, i) => setValue('/index', indexes[i] ?? i)(one));
  return setValue('/choices', choices)(answer);
}

export const completionsLogprobsCount = choiceOf('completions.logprobs.count', {
  selector: textCompletions,
  taken: ({ asked, choices }) => {
    const shown = choices.flatMap(({ logprobs }) => logprobs);
    const sizes = shown
      .flatMap(({ value }) => arrayAt(value, 'top_logprobs'))
      .filter(isObject)
      .map((candidates) => Object.keys(candidates).length);
    if (sizes.length === 0) return shown.length > 0 ? 'none' : null;
    const most = numberAt(asked, 'logprobs') ?? 0;
    return sizes.some((size) => size > most) ? 'more than requested' : 'at most as many as requested';
  },
});

/** The value of include_usage: false by default, undefined if the options are invalid. */
function usageOption(asked: Json | undefined): Json | undefined {
  const options = valueAtPath(asked, 'stream_options') ?? {};
  return isObject(options) ? (options['include_usage'] ?? false) : undefined;
}

export const completionsStreamUsage = choiceOf('completions.stream.usage', {
  selector: where(
    streams(OPERATION),
    ({ ended, chunks, asked }) => ended && chunks.length > 1 && typeof usageOption(asked) === 'boolean',
  ),
  taken: ({ asked, chunks }) => {
    const isAsked = usageOption(asked) === true;
    const [first, ...others] = chunks.filter(({ data }) => (valueAtPath(data, 'usage') ?? null) !== null);
    if (first === undefined) return isAsked ? 'none if requested' : null;
    if (others.length + 1 === chunks.length) return 'every one';
    if (others.length > 0 || first !== chunks.at(-1)) return 'some of them';
    if (arrayAt(first.data, 'choices').length > 0) return 'the last one';
    return isAsked ? 'an extra last one if requested' : 'an extra last one, not requested';
  },
});
