import { containsRequested } from '../generate/relations/compare.ts';
import { setIn, withStatusOf } from '../vocabulary/changes.ts';
import { fieldState } from '../vocabulary/choice-shapes.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';

const { choice } = section('1 Threads');

export const threadsModifyToolResources = choice('threads.modify.tool-resources', {
  says: 'Effect of a modification of tool_resources: the table lists them, a note has only metadata change.',
  alternatives: ['changed', 'not changed', 'refused'],
  selector: where(
    requests('modifyThread'),
    ({ asked, call }) =>
      (valueAtPath(asked, 'tool_resources') ?? null) !== null && call.exchange.probe?.side !== 'violation',
  ),
  taken: ({ call, asked }) => {
    if (call.responseClass === 'rejected') return 'refused';
    if (call.responseJson === undefined) return null;
    const [wanted, actual] = [
      valueAtPath(asked, 'tool_resources'),
      valueAtPath(call.responseJson, 'tool_resources'),
    ];
    return containsRequested(wanted, actual) ? 'changed' : 'not changed';
  },
  examples: {
    'not changed': setIn('modifyThread', '/tool_resources', {}),
    refused: withStatusOf('modifyThread', 400),
  },
});

export const threadsResourcesUnset = choice('threads.resources.unset', {
  spec: '1 Thread',
  says: 'The tool_resources of a thread whose request has none.',
  places: ['thread:tool_resources'],
  alternatives: ['an empty object', 'null'],
  selector: where(
    responses('createThread'),
    ({ asked }) => valueAtPath(asked, 'tool_resources') === undefined,
  ),
  taken: fieldState('tool_resources', 'something else', 'an empty object'),
  examples: { null: setIn('createThread', '/tool_resources', null) },
});
