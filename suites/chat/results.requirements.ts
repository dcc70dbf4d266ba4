// Results of calls, which clients send back to the model. The specification does not show their form, so the requirement rests on clients.
import { rowOf } from '../rows/rows.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, that, where, withCompliance } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, RequestEvidence } from '../vocabulary/types.ts';

export const chatToolsResultsContinued = rowOf('chat.tools.results-continued', {
  evidence: withCompliance(
    where(
      requests('createChatCompletion'),
      that<RequestEvidence>('with the result of a call', ({ asked }) => hasResult(asked)),
    ),
    ({ call }) => call.responseClass === 'accepted',
  ),
  check: ({ call, isCompliedElsewhere }) => {
    if (call.responseClass === 'accepted') return [];
    const found = violation('status', 'an answer 2xx', call.status);
    if (call.responseClass !== 'failed') return [found];
    // A run repeats what fails; in other traffic a failure may have another reason.
    const isAlways = !isCompliedElsewhere && call.exchange.scenario !== null;
    return [isAlways ? found : { ...found, inconclusive: 'target-error' }];
  },
});

/** Whether each result is that of a call before it. Null as the content of a message may be refused. */
function hasResult(asked: Json | undefined): boolean {
  const calls = new Set<string>();
  let results = 0;
  for (const message of arrayAt(asked, 'messages')) {
    if (valueAtPath(message, 'content') === null) return false;
    for (const call of arrayAt(message, 'tool_calls')) calls.add(textAt(call, 'id') ?? '');
    if (textAt(message, 'role') !== 'tool') continue;
    if (!calls.has(textAt(message, 'tool_call_id') ?? '')) return false;
    results += 1;
  }
  return results > 0;
}
