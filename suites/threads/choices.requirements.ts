import { inAnswer, status } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get } from '../../judge/json.ts';
import { same } from '../../judge/schema/kinds.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';
import { carries } from '../generate/relations/compare.ts';

export const modifiedResources = choice({
  id: 'threads.modify.tool-resources',
  spec: '1 Threads',
  says: 'What a modification of tool_resources does: the table lists them, a note has only metadata change.',
  alternatives: ['changed', 'not changed', 'refused'],
  on: only(requests('modifyThread'), ({ asked, call }) => {
    return (get(asked, 'tool_resources') ?? null) !== null && call.exchange.probe?.side !== 'violation';
  }),
  taken: ({ call, asked }) => {
    if (call.outcome === 'rejected') return 'refused';
    if (call.answer === undefined) return null;
    const [wanted, actual] = [get(asked, 'tool_resources'), get(call.answer, 'tool_resources')];
    return carries(wanted, actual) ? 'changed' : 'not changed';
  },
  examples: {
    'not changed': inAnswer('modifyThread', put('/tool_resources', {})),
    refused: status('modifyThread', 400),
  },
});

export const unsetResources = choice({
  id: 'threads.resources.unset',
  spec: '1 Thread',
  says: 'How the tool_resources of a thread read that was given none.',
  places: ['thread:tool_resources'],
  alternatives: ['an empty object', 'null'],
  on: only(answers('createThread'), ({ asked }) => get(asked, 'tool_resources') === undefined),
  taken: ({ answer }) => {
    const told = get(answer, 'tool_resources');
    if (told === undefined) return 'absent';
    if (told === null) return 'null';
    return same(told, {}) ? 'an empty object' : 'something else';
  },
  examples: {
    null: inAnswer('createThread', put('/tool_resources', null)),
  },
});
