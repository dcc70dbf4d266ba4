import { choiceOf } from '../rows/rows.ts';
import { refusedOr } from '../vocabulary/choice-shapes.ts';
import { containsRequested } from '../vocabulary/compare.ts';
import { valueAtPath } from '../vocabulary/json.ts';
import { requests, sentValid, sets, where } from '../vocabulary/selectors.ts';

export const threadsModifyToolResources = choiceOf('threads.modify.tool-resources', {
  selector: where(requests('modifyThread'), sentValid, sets('tool_resources')),
  taken: refusedOr(({ asked, call }) => {
    const [wanted, actual] = [asked, call.responseJson].map((json) => valueAtPath(json, 'tool_resources'));
    return containsRequested(wanted, actual) ? 'changed' : 'not changed';
  }),
});
