import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';

const completionsStreamDoneEndsStream = requirementFromRow('completions.stream.done-ends-stream');

test('a stream without events breaks the rule that [DONE] ends it', () => {
  const trace = new TraceBuilder();
  trace.add('createCompletion', { body: { model: 'any', stream: true } }, { events: [] });
  expect(judgeRequirement(completionsStreamDoneEndsStream, trace.exchanges).violations).toHaveLength(1);
});
