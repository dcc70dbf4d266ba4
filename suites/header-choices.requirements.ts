import { choiceOf } from './rows/rows.ts';
import { withStatusOf } from './vocabulary/changes.ts';
import { outcome } from './vocabulary/choice-shapes.ts';
import { requests, settled, where } from './vocabulary/selectors.ts';

const MESSAGES = ['retrieveMessage', 'createMessage', 'modifyMessage', 'listMessages'] as const;

/** Operations on objects of one form alone, and the header of the other form. */
const OF_ONE_FORM = [
  ['assistant-files.header.beta-form', ['retrieveAssistantFile'], 'assistants=v2'],
  ['message-files.header.beta-form', ['retrieveMessageFile'], 'assistants=v2'],
  ['messages.header.beta-form', MESSAGES, 'assistants=v2'],
  ['vector-stores.header.legacy-form', ['retrieveVectorStore'], 'assistants=v1'],
] as const;

/** A header selects a form of the family; that objects of the other form are refused under it is not said. */
export const otherForm = OF_ONE_FORM.map(([id, operations, header]) =>
  choiceOf(id, {
    selector: where(requests(operations), settled, ({ call }) =>
      call.exchange.request.headers.some(([, value]) => value.includes(header)),
    ),
    taken: outcome('served'),
    examples: { refused: withStatusOf(operations[0], 400) },
  }),
);
