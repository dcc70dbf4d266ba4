// Judges whether a target accepts the results of function calls, sent back to the model. Their form is unspecified, so
// the requirement follows client practice.
import { rowOf } from '../rows/rows.ts';
import { bodyDigest, follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { withCompliance } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';

const continuedConversations: Selector<Evidence & { readonly call: Call }> = follow(
  ['createChatCompletion'],
  () => {
    const acceptedBeginnings = new LruMap<Call>();
    return (call) => {
      const messages = arrayAt(call.requestJson, 'messages');
      const first = messages.findIndex((message) => valueAtPath(message, 'tool_calls') !== undefined);
      const beginning = bodyDigest({
        model: valueAtPath(call.requestJson, 'model') ?? null,
        tools: valueAtPath(call.requestJson, 'tools') ?? null,
        messages: first === -1 ? messages : messages.slice(0, first),
      });
      const before = acceptedBeginnings.get(beginning);
      if (before === undefined && first === -1 && call.responseClass === 'accepted')
        acceptedBeginnings.set(beginning, call);
      // Outside scenarios, a refusal may have a reason that the request does not show, and the beginning of the
      // conversation may be in a different part of the trace.
      if (call.exchange.scenario === null || !hasMatchedResults(messages)) return [];
      if (before === undefined || !precedes(before.exchange, call.exchange)) return [];
      return [{ call, exchanges: [before.exchange, call.exchange] }];
    };
  },
  'a conversation with the result of a call, whose beginning was accepted',
);

export const chatToolsResultsContinued = rowOf('chat.tools.results-continued', {
  evidence: withCompliance(continuedConversations, ({ call }) => call.responseClass === 'accepted'),
  check: ({ call, isCompliedElsewhere }) => {
    if (call.responseClass === 'accepted') return [];
    const refusal = violation('status', 'a 2xx answer', call.status);
    // A target that continues another conversation, such as a retry of this one, may have had a transient failure.
    const mayBeTransient = call.responseClass === 'failed' && isCompliedElsewhere;
    return [mayBeTransient ? { ...refusal, inconclusive: 'target-error' } : refusal];
  },
});

/** Whether there are results, each for an earlier call. False if a message has null content, which may be refused. */
function hasMatchedResults(messages: readonly Json[]): boolean {
  const calls = new Set<string>();
  let results = 0;
  for (const message of messages) {
    if (valueAtPath(message, 'content') === null) return false;
    for (const call of arrayAt(message, 'tool_calls')) calls.add(textAt(call, 'id') ?? '');
    if (textAt(message, 'role') !== 'tool') continue;
    if (!calls.has(textAt(message, 'tool_call_id') ?? '')) return false;
    results += 1;
  }
  return results > 0;
}
