import { textAt } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { inResponse } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { requirement } from '../../judge/requirements/define.ts';
import { chatReplies } from './selectors/replies.ts';

const CHAT = 'createChatCompletion';

export const chatToolsCallIdsSet = requirement({
  id: 'chat.tools.call-ids-set',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completion',
  says: 'Each call of a reply has an id that is not empty.',
  // Streams have no calls here, since the specification does not show how calls are streamed.
  selector: where(chatReplies(), ({ choices }) => choices.some(({ calls }) => calls.length > 0)),
  check: ({ choices }) =>
    choices.flatMap(({ at, calls }) =>
      calls.flatMap((call, i) =>
        textAt(call, 'id') === ''
          ? [{ at: `${at}/message/tool_calls/${i}/id`, expected: 'an id', actual: '' }]
          : [],
      ),
    ),
  mutations: {
    'all empty': inResponse(CHAT, setValue('/choices/*/message/tool_calls/*/id', '')),
    'the first empty': inResponse(CHAT, setValue('/choices/0/message/tool_calls/0/id', '')),
  },
});
