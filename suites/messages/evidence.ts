import { listElements, valueAtPath } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';

const callerMessages = stateless(
  'messages of callers',
  ['createMessage', 'retrieveMessage', 'modifyMessage', 'listMessages'],
  { needs: 'a message with run_id null' },
  (call) => {
    const { responseJson: answer } = call;
    if (answer === undefined) return [];
    const shown = call.operation.id === 'listMessages' ? listElements(answer) : [{ at: '', value: answer }];
    const messages = shown.filter(({ value }) => valueAtPath(value, 'run_id') === null);
    return messages.length === 0 ? [] : [{ messages, exchanges: [call.exchange] }];
  },
);

export const evidence = { 'messages of callers': callerMessages };
