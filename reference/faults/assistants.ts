import { changeEvents, crashOnValid, ignoreQuery, requireField } from '../deviations/changes.ts';
import type { Fault } from '../deviations/hooks.ts';

export const faults: readonly Fault[] = [
  {
    id: 'assistants-cursor-ignored',
    says: 'the list of assistants ignores after, so each page is the first one',
    filed: 'BerriAI/litellm#6530',
    requirement: 'listAssistants.v2.page.after',
    on: ['listAssistants'],
    form: 'v2',
    does: ignoreQuery('after'),
  },
  {
    id: 'assistants-tools-required',
    says: 'rejects assistants without tools',
    filed: 'defenseunicorns/leapfrogai#681',
    requirement: 'createAssistant.v2:body#required.accepted',
    on: ['createAssistant'],
    form: 'v2',
    does: requireField('tools'),
  },
  {
    id: 'threads-messages-crash',
    says: 'answers 500 if a thread is created with messages',
    filed: 'defenseunicorns/leapfrogai#910',
    requirement: 'createThread:body.messages#type.accepted',
    on: ['createThread'],
    does: crashOnValid('messages', (messages) => Array.isArray(messages) && messages.length > 0),
  },
  {
    id: 'runs-deltas-renamed',
    says: 'streams call message deltas thread.message.chunk',
    filed: 'Azure/azure-rest-api-specs#28745',
    requirement: 'runs.stream.deltas-are-message',
    on: ['createRun', 'createThreadAndRun'],
    does: changeEvents((events) =>
      events.map((event) =>
        event.event === 'thread.message.delta' ? { ...event, event: 'thread.message.chunk' } : event,
      ),
    ),
  },
  {
    id: 'messages-run-filter-ignored',
    says: 'ignores run_id when listing messages',
    filed: 'MLT-OSS/open-assistant-api#57',
    requirement: 'listMessages.page.filter-run-id',
    on: ['listMessages'],
    does: ignoreQuery('run_id'),
  },
];
