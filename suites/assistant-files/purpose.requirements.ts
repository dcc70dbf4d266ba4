import type { Exchange } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { inCalls } from '../../judge/edit/between.ts';
import { succeedAnyway } from '../../judge/edit/breaks.ts';
import { withBody, withStatus } from '../../judge/edit/exchanges.ts';
import { text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Evidence, Selector } from '../../judge/requirement.ts';
import { only, requests } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';

/** An attempt to attach a file of a known purpose. */
interface Attachment extends Evidence {
  readonly call: Call;
  readonly purpose: string;
}

export const purpose = requirement({
  id: 'assistant-files.create.needs-purpose',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Assistant files',
  says: 'Only a file that was uploaded with the purpose assistants is attached.',
  on: only(attachments(), ({ call, purpose: told }) => {
    return told !== 'assistants' && (call.outcome === 'accepted' || call.outcome === 'rejected');
  }),
  check: ({ call, purpose: told }) =>
    call.outcome === 'accepted'
      ? [{ at: 'status', expected: `a rejection, the purpose of the file is ${told}`, actual: call.status }]
      : [],
  breaks: {
    accepted: succeedAnyway('createAssistantFile', () => ({ id: 'file_of_any_purpose' })),
    'accepted without a word': succeedSilently,
  },
});

export const known = requirement({
  id: 'assistant-files.create.needs-file',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Assistant files',
  says: 'A file that nobody uploaded is not attached.',
  on: only(requests('createAssistantFile'), ({ call: { exchange, outcome } }) => {
    const isUnknown = exchange.probe?.pointer === 'body.file_id' && exchange.probe.keyword === 'unknown';
    return isUnknown && ['accepted', 'rejected', 'absent'].includes(outcome);
  }),
  check: ({ call }) =>
    call.outcome === 'accepted'
      ? [{ at: 'status', expected: 'a rejection, there is no such file', actual: call.status }]
      : [],
  breaks: {
    accepted: succeedAnyway('createAssistantFile', () => ({ id: 'file_of_nobody' })),
    'accepted without a word': succeedSilently,
  },
});

/** 204 for what was turned down. */
function succeedSilently(trace: readonly Exchange[]) {
  return inCalls('createAssistantFile', (exchange) =>
    (exchange.response?.status ?? 0) >= 400 ? withStatus(withBody(exchange, ''), 204) : exchange,
  )(trace);
}

function attachments(): Selector<Attachment> {
  return {
    operations: ['createAssistantFile', 'createFile'],
    variant: null,
    collect: () => {
      const purposes = new Keyed<{ readonly purpose: string; readonly call: Call }>();
      return {
        call: (call) => {
          if (call.operation.id === 'createFile') {
            const id = text(call.answer, 'id');
            const told = text(call.answer, 'purpose');
            if (id !== undefined && told !== undefined) purposes.set(id, { purpose: told, call });
            return [];
          }
          const file = purposes.get(text(call.asked, 'file_id') ?? '');
          if (file === undefined) return [];
          return [{ call, purpose: file.purpose, exchanges: [file.call.exchange, call.exchange] }];
        },
        finish: () => [],
      };
    },
  };
}
