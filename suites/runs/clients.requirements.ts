// Streams of runs as clients read them, where the specification leaves a point open.
import { sortKeys } from '../../exchange/matching/request-key.ts';
import { parsedJson } from '../../schemas/json.ts';
import { garbled, REPLACEMENT } from '../chat/characters.ts';
import { rowOf } from '../rows/rows.ts';
import { inEvents, inTurn } from '../vocabulary/changes.ts';
import { arrayAt, deepEqual, textAt } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { type RunStream, runStreams, STREAMING_OPERATIONS } from './streams.ts';

const REQUIRED = ['required_action', 'submit_tool_outputs', 'tool_calls'];

export const runsRequiredActionTellsCalls = rowOf('runs.required-action.tells-calls', {
  evidence: runStreams,
  check: ({ states, calls }) =>
    states
      .filter(({ state }) => state === 'requires_action')
      .flatMap(({ at, value }) => {
        const actual = arrayAt(value, ...REQUIRED).map((call) =>
          callAsClientsReadIt(
            textAt(call, 'id'),
            textAt(call, 'function', 'name'),
            textAt(call, 'function', 'arguments'),
          ),
        );
        // Another requirement judges streams without deltas of the calls.
        const expected = calls.map((call) => callAsClientsReadIt(call.id, call.name, call.arguments));
        const isTold = expected.length === 0 ? actual.length > 0 : deepEqual(actual, expected);
        return isTold ? [] : [violation(`${at} /${REQUIRED.join('/')}`, JSON.stringify(expected), actual)];
      }),
});

function callAsClientsReadIt(id: string | undefined, name: string | undefined, text = ''): Json {
  return { id: id ?? null, name: name ?? null, arguments: sortKeys(parsedJson(text) ?? text) };
}

export const runsStreamCallArgumentsAreJson = rowOf('runs.stream.call-arguments-are-json', {
  evidence: runStreams,
  check: ({ calls }) =>
    calls
      .filter((call) => parsedJson(call.arguments) === undefined)
      .map((call) => violation(`${call.at}/function/arguments`, 'JSON text, joined', call.arguments)),
});

export const runsStreamWholeCharacters = rowOf('runs.stream.whole-characters', {
  evidence: where(
    runStreams,
    that('with text beyond ASCII in a delta', (stream) =>
      textDeltas(stream).some(({ text }) => /[^\p{ASCII}]/u.test(text)),
    ),
  ),
  check: (stream) =>
    textDeltas(stream)
      // A message may be cut off within its last character.
      .slice(0, -1)
      .filter(({ text }) => text.includes(REPLACEMENT))
      .map(({ at, text }) => violation(at, 'whole characters', text)),
  broken_by: {
    'each letter in two parts': inTurn(
      ...STREAMING_OPERATIONS.map((id) => inEvents(id, garbled('/delta/content/*/text/value', 2))),
    ),
    'each letter in one mark': inTurn(
      ...STREAMING_OPERATIONS.map((id) => inEvents(id, garbled('/delta/content/*/text/value', 1))),
    ),
  },
});

/** The texts in the deltas of all messages. */
function textDeltas({ messages }: RunStream): readonly { readonly at: string; readonly text: string }[] {
  return messages.flatMap(({ deltas }) =>
    deltas.flatMap(({ at, data }) =>
      arrayAt(data, 'delta', 'content').flatMap((part, i) => {
        const text = textAt(part, 'text', 'value') ?? '';
        return text === '' ? [] : [{ at: `${at} /delta/content/${i}/text/value`, text }];
      }),
    ),
  );
}
