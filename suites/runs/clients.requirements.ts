// Requirements on streams of runs: behaviour that clients rely on where the specification leaves a point open.
import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import { sortKeys, tryParseJson } from '../../schemas/json.ts';
import { type StreamedText, wholeCharacters } from '../chat/characters.ts';
import { rowOf } from '../rows/rows.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { type RunStream, runStreams } from './streams.ts';

const REQUIRED_CALLS = ['required_action', 'submit_tool_outputs', 'tool_calls'];

export const runsRequiredActionTellsCalls = rowOf('runs.required-action.tells-calls', {
  evidence: runStreams,
  check: ({ states, calls }) => {
    const streamed = sortedJson(
      calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: parseArguments(text) })),
    );
    return states
      .filter(({ state }) => state === 'requires_action')
      .flatMap(({ at, value }) => {
        const required = arrayAt(value, ...REQUIRED_CALLS).map((call) => ({
          id: textAt(call, 'id'),
          name: textAt(call, 'function', 'name'),
          arguments: parseArguments(textAt(call, 'function', 'arguments')),
        }));
        const actual = sortedJson(required);
        // Another requirement judges streams without deltas of the calls.
        if (streamed === '[]' ? actual !== '[]' : actual === streamed) return [];
        const expected = streamed === '[]' ? 'a call' : `${streamed}, as streamed`;
        return [violation(`${at} /${REQUIRED_CALLS.join('/')}`, expected, tryParseJson(actual))];
      });
  },
});

function parseArguments(text = ''): Json {
  return sortKeys(parseBoundedJson(text)?.value ?? text);
}

/** Sorts the calls, because the specification does not state their order. */
function sortedJson(calls: readonly object[]): string {
  const texts = calls.map((call) => JSON.stringify(call)).toSorted();
  return `[${texts.join()}]`;
}

export const runsStreamCallArgumentsAreJson = rowOf('runs.stream.call-arguments-are-json', {
  evidence: runStreams,
  check: ({ calls }) =>
    calls
      .filter((call) => tryParseJson(call.arguments) === undefined)
      .map((call) => violation(`${call.at}/function/arguments`, 'JSON text, joined', call.arguments)),
});

export const runsStreamWholeCharacters = rowOf('runs.stream.whole-characters', {
  evidence: runStreams,
  ...wholeCharacters((stream: RunStream) => [textDeltas(stream)]),
});

function textDeltas({ messages }: RunStream): readonly StreamedText[] {
  return messages.flatMap(({ deltas }) =>
    deltas.flatMap(({ at, data }) =>
      arrayAt(data, 'delta', 'content').flatMap((part, i) => {
        const text = textAt(part, 'text', 'value') ?? '';
        return text === '' ? [] : [{ at: `${at} /delta/content/${i}/text/value`, text }];
      }),
    ),
  );
}
