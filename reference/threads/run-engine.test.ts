import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectedAlternative } from '../choices/selection.ts';
import {
  advanceRun,
  type EngineEvent,
  isResting,
  newRunState,
  type PlannedCall,
  pendingCalls,
  type RunEnvironment,
  type RunMove,
  type RunReply,
  type RunState,
  submitToolOutputs,
} from './run-engine.ts';
import type { Run, RunStep, StoredMessage } from './run-objects.ts';

const text = (...pieces: string[]): RunReply => ({ kind: 'message', promptTokens: 10, pieces });
const calls = (...planned: PlannedCall[]): RunReply => ({ kind: 'calls', promptTokens: 10, calls: planned });
const weather: PlannedCall = { type: 'function', name: 'weather', pieces: ['{"city":', '"Rome"', '}'] };

function createEnvironment(replies: readonly RunReply[], clock = { now: 1000 }) {
  const messages: StoredMessage[] = [];
  let idCount = 0;
  let replyCount = 0;
  const environment: RunEnvironment = {
    now: () => clock.now,
    id: (prefix) => `${prefix}${++idCount}`,
    takes: (choice) => selectedAlternative(new Map(), choice),
    reply: () => replies[replyCount++] ?? text('done'),
    keep: (message) => messages.push(message),
  };
  return { environment, messages, clock };
}

function newRun(budgets: { prompt?: number; completion?: number } = {}): RunState {
  const run: Run = {
    id: 'run_1',
    object: 'thread.run',
    created_at: 1000,
    assistant_id: 'asst_1',
    thread_id: 'thread_1',
    status: 'queued',
    started_at: null,
    expires_at: 1600,
    cancelled_at: null,
    failed_at: null,
    completed_at: null,
    required_action: null,
    last_error: null,
    model: 'm',
    instructions: null,
    incomplete_details: null,
    tools: [],
    tool_resources: {},
    metadata: {},
    usage: null,
    temperature: 1,
    top_p: 1,
    max_prompt_tokens: budgets.prompt ?? null,
    max_completion_tokens: budgets.completion ?? null,
    truncation_strategy: { type: 'auto', last_messages: null },
    response_format: 'auto',
    tool_choice: 'auto',
    file_ids: [],
    parallel_tool_calls: true,
  };
  return newRunState(run);
}

const firstStep = (state: RunState): RunStep | undefined => state.steps.values()[0];

const copy = (move: Iterable<EngineEvent>): EngineEvent[] =>
  Array.from(move, (event) => structuredClone(event));

/** Throws if the run does not come to rest, because an endless synchronous loop would also block the timeout. */
function untilRest(state: RunState, move: () => unknown): void {
  for (let moves = 0; !isResting(state); moves += 1) {
    if (moves === 10_000) throw new Error('The run does not come to rest.');
    move();
  }
}

function play(state: RunState, environment: RunEnvironment): EngineEvent[] {
  const events: EngineEvent[] = [];
  untilRest(state, () => events.push(...copy(advanceRun(state, environment))));
  return events;
}

const shortNames = (events: readonly EngineEvent[]): string[] =>
  events.map(({ event }) => event.replace('thread.', ''));

describe('a run that answers with text', () => {
  it('sends its events in the order of the specification, and keeps the text and its usage', () => {
    const { environment, messages } = createEnvironment([text('Hel', 'lo')]);
    const state = newRun();
    const events = play(state, environment);
    expect(shortNames(events)).toEqual([
      'run.in_progress',
      'run.step.created',
      'run.step.in_progress',
      'message.created',
      'message.in_progress',
      'message.delta',
      'message.delta',
      'message.completed',
      'run.step.completed',
      'run.completed',
    ]);
    expect(events.find(({ event }) => event === 'thread.message.created')?.data).toMatchObject({
      status: 'in_progress',
      content: [],
    });
    expect(messages[0]).toMatchObject({ status: 'completed', content: [{ text: { value: 'Hello' } }] });
    expect(state.run.usage).toEqual({ prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 });
    expect(firstStep(state)).toMatchObject({ status: 'completed', usage: state.run.usage });
  });

  it('moves one state at a time', () => {
    const { environment, messages } = createEnvironment([text('Hello')]);
    const state = newRun();
    const states = [1, 2].map(() => {
      copy(advanceRun(state, environment));
      return [state.run.status, firstStep(state)?.status, messages[0]?.status];
    });
    expect(states).toEqual([
      ['in_progress', 'in_progress', 'in_progress'],
      ['completed', 'completed', 'completed'],
    ]);
    expect(copy(advanceRun(state, environment))).toEqual([]);
  });
});

describe('a run that calls functions', () => {
  it('names a call only in its first chunk, waits, and continues with the outputs', () => {
    const { environment } = createEnvironment([calls(weather, weather), text('Sunny')]);
    const state = newRun();
    const events = play(state, environment);
    expect(shortNames(events).slice(-1)).toEqual(['run.requires_action']);
    const chunks = events
      .filter(({ event }) => event === 'thread.run.step.delta')
      .map(({ data }) => JSON.stringify(data));
    const isFirst = [true, false, false, false, true, false, false, false];
    expect(chunks.map((chunk) => chunk.includes('call_'))).toEqual(isFirst);
    expect(chunks.map((chunk) => chunk.includes('"name"'))).toEqual(isFirst);

    const step = firstStep(state);
    if (step === undefined) throw new Error('no step');
    expect(pendingCalls(step).map((call) => call.function.arguments)).toEqual([
      '{"city":"Rome"}',
      '{"city":"Rome"}',
    ]);
    expect(state.run.required_action?.submit_tool_outputs.tool_calls).toHaveLength(2);
    const outputs = new Map(pendingCalls(step).map(({ id }) => [id, 'sun']));
    expect(shortNames(copy(submitToolOutputs(state, outputs, environment)))).toEqual([
      'run.step.completed',
      'run.queued',
    ]);
    expect(shortNames(play(state, environment)).at(-1)).toBe('run.completed');
    expect(step).toMatchObject({ status: 'completed', usage: { completion_tokens: 8 } });
    expect(state.run).toMatchObject({
      required_action: null,
      usage: { prompt_tokens: 20, completion_tokens: 9 },
    });
  });

  it('continues by itself after a built-in tool', () => {
    const { environment } = createEnvironment([
      calls({ type: 'file_search', name: 'file_search', pieces: [] }),
      text('Found'),
    ]);
    const state = newRun();
    play(state, environment);
    expect(state.run.status).toBe('completed');
    expect(state.steps.values().map(({ type, status }) => [type, status])).toEqual([
      ['tool_calls', 'completed'],
      ['message_creation', 'completed'],
    ]);
  });
});

describe('a run beyond its budget', () => {
  it('keeps what was written before the completion budget ran out', () => {
    const { environment, messages } = createEnvironment([text('a', 'b', 'c')]);
    const state = newRun({ completion: 2 });
    const events = play(state, environment);
    expect(shortNames(events).slice(-3)).toEqual([
      'message.incomplete',
      'run.step.completed',
      'run.incomplete',
    ]);
    expect(messages[0]).toMatchObject({
      incomplete_details: { reason: 'max_tokens' },
      content: [{ text: { value: 'ab' } }],
    });
    expect(state.run).toMatchObject({
      incomplete_details: { reason: 'max_completion_tokens' },
      completed_at: null,
    });
  });

  it('completes if the budget is just enough', () => {
    const { environment } = createEnvironment([text('a', 'b')]);
    const state = newRun({ completion: 2 });
    play(state, environment);
    expect(state.run.status).toBe('completed');
  });

  it('opens no step if the prompt alone is too long', () => {
    const { environment } = createEnvironment([]);
    const state = newRun({ prompt: 9 });
    expect(shortNames(play(state, environment))).toEqual(['run.in_progress', 'run.incomplete']);
    expect(state.steps.values()).toEqual([]);
  });

  it('ends in the middle of a call', () => {
    const { environment } = createEnvironment([calls(weather)]);
    const state = newRun({ completion: 2 });
    play(state, environment);
    expect(state.run).toMatchObject({ status: 'incomplete', required_action: null });
    expect(firstStep(state)).toMatchObject({ status: 'cancelled', usage: { completion_tokens: 2 } });
  });
});

describe('a run that is cancelled or expires', () => {
  it('is cancelled together with its step and message', () => {
    const { environment, messages } = createEnvironment([text('Hello')]);
    const state = newRun();
    copy(advanceRun(state, environment));
    state.run.status = 'cancelling';
    expect(shortNames(copy(advanceRun(state, environment)))).toEqual([
      'message.incomplete',
      'run.step.cancelled',
      'run.cancelled',
    ]);
    expect(messages[0]?.incomplete_details).toEqual({ reason: 'run_cancelled' });
    expect(state.run.cancelled_at).toBe(1000);
  });

  it('is cancelled after its calls if the cancellation is requested when their step ends', () => {
    const { environment } = createEnvironment([calls(weather)]);
    const endsSteps = { ...environment, takes: () => 'completed' };
    const state = newRun();
    untilRest(state, () => {
      for (const { event } of advanceRun(state, endsSteps))
        if (event === 'thread.run.step.completed') state.run.status = 'cancelling';
    });
    expect(state.run).toMatchObject({ status: 'cancelled', required_action: null });
  });

  it('expires while it waits for outputs', () => {
    const { environment, clock } = createEnvironment([calls(weather)]);
    const state = newRun();
    play(state, environment);
    clock.now = 1600;
    copy(advanceRun(state, environment));
    expect(state.run).toMatchObject({ status: 'expired', required_action: null, expires_at: 1600 });
    expect(firstStep(state)).toMatchObject({ status: 'expired', expired_at: 1600 });
  });
});

it('a run reaches the same end wherever its stream is cut off', () => {
  const singleReply = fc.constantFrom(
    text('a', 'b', 'c'),
    calls(weather),
    calls({ type: 'file_search', name: '', pieces: [] }),
  );
  fc.assert(
    fc.property(
      fc.array(singleReply, { maxLength: 4 }),
      fc.option(fc.nat(8)),
      fc.nat(40),
      (replies, completion, cut) => {
        const playToEnd = (eventLimit: number) => {
          const { environment, messages } = createEnvironment(replies);
          const state = newRun(completion === null ? {} : { completion });
          let remaining = eventLimit;
          const drain = (move: RunMove) => {
            for (const _ of move) if (--remaining === 0) return;
          };
          for (let turn = 0; turn < 8; turn += 1) {
            untilRest(state, () => drain(advanceRun(state, environment)));
            const step = state.steps.values().at(-1);
            if (state.run.status !== 'requires_action' || step === undefined) break;
            drain(
              submitToolOutputs(state, new Map(pendingCalls(step).map(({ id }) => [id, 'out'])), environment),
            );
          }
          return { run: state.run, steps: state.steps.values(), messages };
        };
        expect(playToEnd(cut + 1)).toEqual(playToEnd(Number.POSITIVE_INFINITY));
      },
    ),
  );
});
