import { allEdits, callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange, inStreamsOf } from '../vocabulary/equivalents.ts';
import { frameData, frameWithData, withEvents, withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Edit, EquivalentMutant, Exchange, Json, StreamFrame } from '../vocabulary/types.ts';
import { STREAMING_OPERATIONS } from './streams.ts';

const DELTA = 'thread.message.delta';
const STEP_DELTA = 'thread.run.step.delta';
const WAITING = 'thread.run.requires_action';
const VALUE = '/delta/content/0/text/value';
const ARGUMENTS = '/delta/step_details/tool_calls/0/function/arguments';

export const equivalentMutants: readonly EquivalentMutant[] = [
  inStreams('message deltas of one character each', (frame, data) => split(frame, data, DELTA, VALUE)),
  inStreams('argument deltas of one character each', (frame, data) =>
    textAt(data, 'delta', 'step_details', 'tool_calls', 0, 'id') === undefined
      ? split(frame, data, STEP_DELTA, ARGUMENTS)
      : [frame],
  ),
  inStreams('empty message deltas', (frame, data) =>
    frame.event === DELTA ? [write(DELTA, setValue(VALUE, '')(data)), frame] : [frame],
  ),
  inStreamsOf(STREAMING_OPERATIONS, 'no done after a run that waits', (frames) =>
    frames.some(({ event }) => event === WAITING) ? frames.filter(({ event }) => event !== 'done') : frames,
  ),
  inStreamsOf(STREAMING_OPERATIONS, 'the run created before its thread', (frames) => {
    const [first, second, ...others] = frames;
    const isMade = first?.event === 'thread.created' && second !== undefined;
    return isMade ? [second, first, ...others] : frames;
  }),
  inEachExchange('steps of waiting calls completed', completed),
  editBoth('letters beyond ASCII in the messages of runs', {
    inEvents: (event) =>
      event === DELTA ? setValue(VALUE, large) : setValue('/content/*/text/value', large),
    inMessages: setValue('/content/*/text/value', large),
  }),
  editBoth('an image beside the text', {
    inEvents: (event) => (event === 'thread.message.completed' ? setValue('/content', withImage) : same),
    inMessages: setValue('/content', withImage),
  }),
];

type Rewrite = (frame: StreamFrame, data: Json) => readonly StreamFrame[];

function inStreams(name: string, rewrite: Rewrite): EquivalentMutant {
  return inStreamsOf(STREAMING_OPERATIONS, name, (frames) =>
    frames.flatMap((frame) => {
      const data = frameData(frame);
      return data === undefined ? [frame] : rewrite(frame, data);
    }),
  );
}

interface Both {
  readonly inEvents: (event: string) => Edit;
  readonly inMessages: Edit;
}

function editBoth(name: string, { inEvents, inMessages }: Both): EquivalentMutant {
  const ofRuns: Edit = (value) => (textAt(value, 'run_id') === undefined ? value : inMessages(value));
  return inEachExchange(name, (exchange) => {
    if (callsOperation(exchange, 'listMessages'))
      return withResponseJson(exchange, setValue('/data', editEach(ofRuns)));
    if (callsOperation(exchange, 'retrieveMessage')) return withResponseJson(exchange, ofRuns);
    if (!isRun(exchange)) return exchange;
    return withEvents(exchange, (frames) =>
      frames.map((frame) => {
        const data = frame.event.startsWith('thread.message.') ? frameData(frame) : undefined;
        return data === undefined ? frame : write(frame.event, inEvents(frame.event)(data));
      }),
    );
  });
}

function split(frame: StreamFrame, data: Json, event: string, pointer: string): readonly StreamFrame[] {
  const path = pointer
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const whole = frame.event === event ? textAt(data, ...path) : undefined;
  if (whole === undefined || whole.length < 2) return [frame];
  return [...whole].map((character) => write(event, setValue(pointer, character)(data)));
}

function completed(exchange: Exchange): Exchange {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const over = allEdits(
    setValue('/status', 'completed'),
    setValue('/completed_at', 4_000_000_000),
    setValue('/usage', usage),
  );
  const waiting: Edit = (step) => {
    const isOpen = valueAtPath(step, 'status') === 'in_progress';
    return isOpen && arrayAt(step, 'step_details', 'tool_calls').length > 0 ? over(step) : step;
  };
  if (callsOperation(exchange, 'listRunSteps'))
    return withResponseJson(exchange, setValue('/data', editEach(waiting)));
  if (callsOperation(exchange, 'retrieveRunStep')) return withResponseJson(exchange, waiting);
  if (!isRun(exchange)) return exchange;
  return withEvents(exchange, (frames) => {
    const begun = frames.findLast(({ event }) => event === 'thread.run.step.in_progress');
    const at = frames.findIndex(({ event }) => event === WAITING);
    const [step, run] = [begun, frames[at]].map((frame) => frame && frameData(frame));
    if (step === undefined || run === undefined) return frames;
    const made = arrayAt(run, 'required_action', 'submit_tool_outputs', 'tool_calls');
    const ended = over(
      setValue('/step_details/tool_calls', made.map(setValue('/function/output', null)))(step),
    );
    return frames.toSpliced(at, 0, write('thread.run.step.completed', ended));
  });
}

function isRun(exchange: Exchange): boolean {
  return STREAMING_OPERATIONS.some((operation) => callsOperation(exchange, operation));
}

function editEach(edit: Edit): (values: Json | undefined) => Json {
  return (values) => (Array.isArray(values) ? values.map(edit) : (values ?? null));
}

function write(event: string, data: Json): StreamFrame {
  return frameWithData(event, JSON.stringify(data));
}

function same(value: Json): Json {
  return value;
}

function large(old: Json | undefined): Json {
  return typeof old === 'string' ? old.replaceAll('o', '🙂é') : (old ?? null);
}

function withImage(content: Json | undefined): Json {
  return [
    ...(Array.isArray(content) ? content : []),
    { type: 'image_file', image_file: { file_id: 'file_1' } },
  ];
}
