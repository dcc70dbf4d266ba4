import { expect, test } from 'vitest';
import type { BehaviourRequirement, Evidence } from '../../judge/requirements/requirement.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { relationRequirements } from '../generate/objects.requirements.ts';

// as: each rule receives only evidence of its selector
const rules = relationRequirements as unknown as readonly BehaviourRequirement<Evidence>[];

test.each(['retrieve.as-modified', 'list.as-made', 'modify.keeps-the-rest'])(
  'the text of a message may grow only while a run writes it (%s)',
  (name) => {
    const rule = rules.find(({ id }) => id === `messages.${name}`);
    if (rule === undefined) throw new Error(`No relation requirement has the id messages.${name}.`);
    const path = { thread_id: 'thread_1', message_id: 'msg_1' };
    const violationCounts = ['in_progress', 'completed'].map((status) => {
      const trace = new TraceBuilder();
      const message = (value: string) => ({
        id: 'msg_1',
        status,
        content: [{ type: 'text', text: { value } }],
      });
      trace.add('modifyMessage', { path, body: {} }, { json: message('He') });
      trace.add('modifyMessage', { path, body: {} }, { json: message('Hel') });
      trace.add('retrieveMessage', { path }, { json: message('Hello') });
      trace.add('listMessages', { path }, { json: { object: 'list', data: [message('Hello')] } });
      return judgeRequirement(rule, trace.exchanges).violations.length;
    });
    expect(violationCounts).toEqual([0, 1]);
  },
);
