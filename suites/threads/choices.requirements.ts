import { choiceOf } from '../data/choices.ts';
import { containsRequested } from '../generate/relations/compare.ts';
import { fieldState } from '../vocabulary/choice-shapes.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { leavesOut, requests, responses, where } from '../vocabulary/selectors.ts';

export const threadsModifyToolResources = choiceOf('threads.modify.tool-resources', {
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
});

export const threadsResourcesUnset = choiceOf('threads.resources.unset', {
  selector: where(responses('createThread'), leavesOut('tool_resources')),
  taken: fieldState('tool_resources', 'something else', 'an empty object'),
});
