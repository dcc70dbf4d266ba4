import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { dataOf, type Frame, frameWith, withEvents } from '../../judge/edit/streams.ts';
import { all, type Edit, put, remove } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';
import { STREAMING } from './tale.ts';

const DELTA = 'thread.message.delta';
const STEP_DELTA = 'thread.run.step.delta';
const WAITING = 'thread.run.requires_action';
const VALUE = '/delta/content/0/text/value';
const ARGUMENTS = '/delta/step_details/tool_calls/0/function/arguments';

/** Ways to stream a run, or to tell of it, that nothing is stated about. */
export const benign: readonly Benign[] = [
  inStreams('message deltas of one character each', (frame, data) => split(frame, data, DELTA, VALUE)),
  inStreams('argument deltas of one character each', (frame, data) =>
    text(data, 'delta', 'step_details', 'tool_calls', 0, 'id') === undefined
      ? split(frame, data, STEP_DELTA, ARGUMENTS)
      : [frame],
  ),
  inStreams('empty message deltas', (frame, data) =>
    frame.event === DELTA ? [write(DELTA, put(VALUE, '')(data)), frame] : [frame],
  ),
  {
    ...inStreams('message deltas without annotations', (frame, data) =>
      frame.event === DELTA ? [write(DELTA, remove('/delta/content/*/text/annotations')(data))] : [frame],
    ),
    blinds: true,
  },
  wholly('no done after a run that waits', (frames) =>
    frames.some(({ event }) => event === WAITING) ? frames.filter(({ event }) => event !== 'done') : frames,
  ),
  wholly('the run created before its thread', (frames) => {
    const [first, second, ...others] = frames;
    const isMade = first?.event === 'thread.created' && second !== undefined;
    return isMade ? [second, first, ...others] : frames;
  }),
  inStreams('another name for the end of an incomplete run', (frame) =>
    frame.event === 'thread.run.incomplete' ? [frameWith('run.over', frame.data)] : [frame],
  ),
  inStreams('a run that pauses', (frame, data) =>
    frame.event === 'thread.run.in_progress'
      ? [frame, write('thread.run.paused', put('/status', 'paused')(data)), frame]
      : [frame],
  ),
  {
    name: 'steps of waiting calls completed',
    apply: (items) => items.map((item) => ('note' in item ? item : completed(item))),
  },
  both('letters beyond ASCII in the messages of runs', {
    inEvents: (event) => (event === DELTA ? put(VALUE, large) : put('/content/*/text/value', large)),
    inMessages: put('/content/*/text/value', large),
  }),
  both('an image beside the text', {
    inEvents: (event) => (event === 'thread.message.completed' ? put('/content', withImage) : same),
    inMessages: put('/content', withImage),
  }),
];

type Rewrite = (frame: Frame, data: Json) => readonly Frame[];

function inStreams(name: string, rewrite: Rewrite): Benign {
  return wholly(name, (frames) =>
    frames.flatMap((frame) => {
      const data = dataOf(frame);
      return data === undefined ? [frame] : rewrite(frame, data);
    }),
  );
}

function wholly(name: string, rewrite: (frames: readonly Frame[]) => readonly Frame[]): Benign {
  return ofEach(name, (exchange) => (isRun(exchange) ? withEvents(exchange, rewrite) : exchange));
}

interface Both {
  readonly inEvents: (event: string) => Edit;
  readonly inMessages: Edit;
}

/** Changes the messages that runs write, in streams and wherever they are told again. */
function both(name: string, { inEvents, inMessages }: Both): Benign {
  const ofRuns: Edit = (value) => (text(value, 'run_id') === undefined ? value : inMessages(value));
  return ofEach(name, (exchange) => {
    if (calls(exchange, 'listMessages')) return withAnswer(exchange, put('/data', each(ofRuns)));
    if (calls(exchange, 'retrieveMessage')) return withAnswer(exchange, ofRuns);
    if (!isRun(exchange)) return exchange;
    return withEvents(exchange, (frames) =>
      frames.map((frame) => {
        const data = frame.event.startsWith('thread.message.') ? dataOf(frame) : undefined;
        return data === undefined ? frame : write(frame.event, inEvents(frame.event)(data));
      }),
    );
  });
}

function split(frame: Frame, data: Json, event: string, pointer: string): readonly Frame[] {
  const path = pointer
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const whole = frame.event === event ? text(data, ...path) : undefined;
  if (whole === undefined || whole.length < 2) return [frame];
  return [...whole].map((character) => write(event, put(pointer, character)(data)));
}

/** The step whose calls wait is over before the run waits, in the stream and wherever it is told again. */
function completed(exchange: Exchange): Exchange {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const over = all(put('/status', 'completed'), put('/completed_at', 4_000_000_000), put('/usage', usage));
  const waiting: Edit = (step) => {
    const isOpen = get(step, 'status') === 'in_progress';
    return isOpen && list(step, 'step_details', 'tool_calls').length > 0 ? over(step) : step;
  };
  if (calls(exchange, 'listRunSteps')) return withAnswer(exchange, put('/data', each(waiting)));
  if (calls(exchange, 'retrieveRunStep')) return withAnswer(exchange, waiting);
  if (!isRun(exchange)) return exchange;
  return withEvents(exchange, (frames) => {
    const begun = frames.findLast(({ event }) => event === 'thread.run.step.in_progress');
    const at = frames.findIndex(({ event }) => event === WAITING);
    const [step, run] = [begun, frames[at]].map((frame) => frame && dataOf(frame));
    if (step === undefined || run === undefined) return frames;
    const made = list(run, 'required_action', 'submit_tool_outputs', 'tool_calls');
    const told = over(put('/step_details/tool_calls', made.map(put('/function/output', null)))(step));
    return frames.toSpliced(at, 0, write('thread.run.step.completed', told));
  });
}

function isRun(exchange: Exchange): boolean {
  return STREAMING.some((operation) => calls(exchange, operation));
}

function each(edit: Edit): (values: Json | undefined) => Json {
  return (values) => (Array.isArray(values) ? values.map(edit) : (values ?? null));
}

function write(event: string, data: Json): Frame {
  return frameWith(event, JSON.stringify(data));
}

function same(value: Json): Json {
  return value;
}

/** No JSON literal has an o, so JSON stays JSON. */
function large(old: Json | undefined): Json {
  return typeof old === 'string' ? old.replaceAll('o', '🙂é') : (old ?? null);
}

function withImage(content: Json | undefined): Json {
  return [
    ...(Array.isArray(content) ? content : []),
    { type: 'image_file', image_file: { file_id: 'file_1' } },
  ];
}
