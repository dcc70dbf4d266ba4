import { inEveryCall, succeedInstead } from '../vocabulary/changes.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { withBody, withStatus } from '../vocabulary/exchanges.ts';
import { textAt } from '../vocabulary/json.ts';
import { decided, namesNothingIn, requests, settled, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Evidence, Exchange, Selector, Violation } from '../vocabulary/types.ts';

const { implied } = section('1 Assistant files');

/** An attempt to attach a file of a known purpose. */
interface Attachment extends Evidence {
  readonly call: Call;
  readonly purpose: string;
}

const attachments: Selector<Attachment> = follow(
  ['createAssistantFile', 'createFile'],
  () => {
    const purposes = new LruMap<{ readonly purpose: string; readonly call: Call }>();
    return (call) => {
      if (call.operation.id === 'createFile') {
        const id = textAt(call.responseJson, 'id');
        const stated = textAt(call.responseJson, 'purpose');
        if (id !== undefined && stated !== undefined) purposes.set(id, { purpose: stated, call });
        return [];
      }
      const file = purposes.get(textAt(call.requestJson, 'file_id') ?? '');
      if (file === undefined) return [];
      return [{ call, purpose: file.purpose, exchanges: [file.call.exchange, call.exchange] }];
    };
  },
  'an attachment of a file whose upload was answered with its purpose',
);

export const assistantFilesCreateNeedsPurpose = implied('assistant-files.create.needs-purpose', {
  says: 'Only a file that was uploaded with the purpose assistants can be attached.',
  selector: where(
    attachments,
    decided,
    that('with a purpose other than assistants', ({ purpose }) => purpose !== 'assistants'),
  ),
  check: ({ call, purpose }) => wronglyAccepted(call, `the purpose of the file is ${purpose}`),
  mutations: {
    accepted: succeedInstead('createAssistantFile', () => ({ id: 'file_of_any_purpose' })),
    'accepted without a word': succeedSilently,
  },
});

export const assistantFilesCreateNeedsFile = implied('assistant-files.create.needs-file', {
  says: 'A file that does not exist cannot be attached.',
  selector: where(requests('createAssistantFile'), namesNothingIn('body.file_id'), settled),
  check: ({ call }) => wronglyAccepted(call, 'the file does not exist'),
  mutations: {
    accepted: succeedInstead('createAssistantFile', () => ({ id: 'file_of_nobody' })),
    'accepted without a word': succeedSilently,
  },
});

/** 204 for what was turned down. */
function succeedSilently(trace: readonly Exchange[]) {
  return inEveryCall('createAssistantFile', (exchange) =>
    (exchange.response?.status ?? 0) >= 400 ? withStatus(withBody(exchange, ''), 204) : exchange,
  )(trace);
}

/** The violation of an attachment that was accepted although it had to be rejected. */
function wronglyAccepted({ responseClass, status }: Call, why: string): Violation[] {
  return responseClass === 'accepted' ? [violation('status', `a rejection, ${why}`, status)] : [];
}
