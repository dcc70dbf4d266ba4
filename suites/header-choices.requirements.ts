import { withStatusOf } from './vocabulary/changes.ts';
import { outcome } from './vocabulary/choice-shapes.ts';
import { requests, where } from './vocabulary/selectors.ts';
import { choice } from './vocabulary/statements.ts';

const MESSAGES = ['retrieveMessage', 'createMessage', 'modifyMessage', 'listMessages'] as const;

/** Objects of one form alone, operations on them, and the header of the other form. */
const OF_ONE_FORM = [
  ['assistant-files.header.beta-form', 'an assistant file', ['retrieveAssistantFile'], 'assistants=v2'],
  ['message-files.header.beta-form', 'a message file', ['retrieveMessageFile'], 'assistants=v2'],
  ['messages.header.beta-form', 'a message', MESSAGES, 'assistants=v2'],
  ['vector-stores.header.legacy-form', 'a vector store', ['retrieveVectorStore'], 'assistants=v1'],
] as const;

/** A header selects a form of the family; that objects of the other form are refused under it is not said. */
export const otherForm = OF_ONE_FORM.map(([id, noun, operations, header]) =>
  choice({
    id,
    spec: '1 Versioning',
    says: `The response to a request for ${noun} under the header of the other form.`,
    alternatives: ['served', 'refused'],
    selector: where(requests(operations), ({ call: { exchange, responseClass: outcome } }) => {
      const isOther = exchange.request.headers.some(([, value]) => value.includes(header));
      return isOther && ['accepted', 'rejected', 'absent'].includes(outcome);
    }),
    taken: outcome('served'),
    examples: { refused: withStatusOf(operations[0], 400) },
  }),
);
