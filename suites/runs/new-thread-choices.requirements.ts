import type { Json } from '../../exchange/body.ts';
import { everywhere, inAnswer } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { all, put } from '../../judge/edit/values.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import type { Break } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';
import { inTurn } from '../generate/in-turn.ts';
import { carries } from '../generate/relations/compare.ts';
import { inRuns } from './breaking.ts';
import { textOf } from './deltas.ts';
import { isWhole, looks } from './looks.ts';

const RUNS = '1 Runs';
const NEW = 'createThreadAndRun';

export const metadataOfNew = choice({
  id: 'runs.new-thread.metadata',
  spec: RUNS,
  says: 'Whose the metadata are that come with the request to make a thread and run it.',
  alternatives: ['the run', 'the thread', 'the run and the thread', 'nobody'],
  on: only(
    looks(['retrieveThread']),
    ({ begun }) =>
      begun.call.operation.id === NEW &&
      hasNames(get(begun.asked, 'metadata')) &&
      !hasNames(get(begun.asked, 'thread', 'metadata')),
  ),
  taken: ({ begun, run, answer }) => {
    const wanted = get(begun.asked, 'metadata');
    return ownersOf(carries(wanted, get(run, 'metadata')), carries(wanted, get(answer, 'metadata')));
  },
  examples: owned('metadata'),
});

export const resourcesOfNew = choice({
  id: 'runs.new-thread.tool-resources',
  spec: RUNS,
  says: 'Whose the tool_resources are that come with the request to make a thread and run it.',
  alternatives: ['the run', 'the thread', 'the run and the thread', 'nobody'],
  on: only(
    looks(['retrieveThread']),
    ({ begun }) =>
      begun.call.operation.id === NEW &&
      hasNames(get(begun.asked, 'tool_resources')) &&
      !hasNames(get(begun.asked, 'thread', 'tool_resources')),
  ),
  taken: ({ begun, run, answer }) => {
    const wanted = get(begun.asked, 'tool_resources');
    return ownersOf(
      carries(wanted, get(run, 'tool_resources')),
      carries(wanted, get(answer, 'tool_resources')),
    );
  },
  examples: owned('tool_resources'),
});

export const threadFields = choice({
  id: 'runs.new-thread.other-fields',
  spec: RUNS,
  says: 'What becomes of metadata and tool_resources of the thread that is made with its run.',
  alternatives: ['kept', 'ignored'],
  on: only(looks(['retrieveThread']), ({ begun }) => extras(begun.asked).length > 0),
  taken: ({ begun, answer }) => {
    const kept = extras(begun.asked).filter(([name, value]) => carries(value, get(answer, name)));
    if (kept.length === 0) return 'ignored';
    return kept.length === extras(begun.asked).length
      ? 'kept'
      : `only ${kept.map(([name]) => name).join()} kept`;
  },
  examples: {
    ignored: inAnswer('retrieveThread', all(put('/metadata', {}), put('/tool_resources', {}))),
  },
});

export const messageFields = choice({
  id: 'runs.new-thread.message-fields',
  spec: RUNS,
  says: 'What becomes of metadata of a message of the thread that is made with its run.',
  alternatives: ['kept', 'ignored'],
  on: only(
    looks(['listMessages']),
    ({ begun, after }) => isWhole(after) && labelled(begun.asked) !== undefined,
  ),
  taken: ({ begun, answer }) => {
    const wanted = labelled(begun.asked);
    const found = list(answer, 'data').find((one) => textOf(one) === text(wanted, 'content'));
    if (found === undefined) return null;
    return carries(get(wanted, 'metadata'), get(found, 'metadata')) ? 'kept' : 'ignored';
  },
  examples: { ignored: inAnswer('listMessages', put('/data/*/metadata', {})) },
});

/** Whose it may be: what requests gave is put on their threads, or taken off their runs. */
function owned(field: 'metadata' | 'tool_resources'): Readonly<Record<string, Break>> {
  const lent: Break = (trace) => {
    const given = (thread: string): Json | undefined =>
      trace
        .filter(({ response }) => response?.body.text?.includes(thread) === true)
        .map(({ request }) => get(request.body.json?.value, field))
        .find(hasNames);
    return everywhere('retrieveThread', (exchange) => {
      const value = given(exchange.request.target.split('/').at(-1) ?? '');
      return value === undefined ? exchange : withAnswer(exchange, put(`/${field}`, value));
    })(trace);
  };
  const taken = inRuns(put(`/${field}`, {}));
  return { 'the run and the thread': lent, 'the thread': inTurn(lent, taken), nobody: taken };
}

function ownersOf(run: boolean, thread: boolean): string {
  if (run && thread) return 'the run and the thread';
  if (run) return 'the run';
  return thread ? 'the thread' : 'nobody';
}

function hasNames(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function labelled(asked: Json | undefined): Json | undefined {
  return list(asked, 'thread', 'messages').find((one) => hasNames(get(one, 'metadata')));
}

/** What a new thread was given beside messages. */
function extras(asked: Json | undefined): readonly (readonly [string, Json | undefined])[] {
  const names = ['metadata', 'tool_resources'] as const;
  return names
    .map((name) => [name, get(asked, 'thread', name)] as const)
    .filter(([, value]) => hasNames(value));
}
