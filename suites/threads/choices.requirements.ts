import { valueAtPath } from '../../judge/evidence/json.ts';
import { requests, responses, where } from '../../judge/evidence/selectors/answers.ts';
import { inResponse, withStatusOf } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { deepEqual } from '../../judge/schema/json-kinds.ts';
import { containsRequested } from '../generate/relations/compare.ts';

const { choice } = section('1 Threads');

export const threadsModifyToolResources = choice('threads.modify.tool-resources', {
  says: 'Effect of a modification of tool_resources: the table lists them, a note has only metadata change.',
  alternatives: ['changed', 'not changed', 'refused'],
  selector: where(requests('modifyThread'), ({ requestJson: asked, call }) => {
    return (
      (valueAtPath(asked, 'tool_resources') ?? null) !== null && call.exchange.probe?.side !== 'violation'
    );
  }),
  taken: ({ call, requestJson: asked }) => {
    if (call.responseClass === 'rejected') return 'refused';
    if (call.responseJson === undefined) return null;
    const [wanted, actual] = [
      valueAtPath(asked, 'tool_resources'),
      valueAtPath(call.responseJson, 'tool_resources'),
    ];
    return containsRequested(wanted, actual) ? 'changed' : 'not changed';
  },
  examples: {
    'not changed': inResponse('modifyThread', setValue('/tool_resources', {})),
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
    ({ requestJson: asked }) => valueAtPath(asked, 'tool_resources') === undefined,
  ),
  taken: ({ json: answer }) => {
    const shown = valueAtPath(answer, 'tool_resources');
    if (shown === undefined) return 'absent';
    if (shown === null) return 'null';
    return deepEqual(shown, {}) ? 'an empty object' : 'something else';
  },
  examples: {
    null: inResponse('createThread', setValue('/tool_resources', null)),
  },
});
