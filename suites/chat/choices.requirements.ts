import { choiceOf } from '../rows/rows.ts';
import { textAt } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import { chatReplies } from './replies.ts';

export const chatStopKept = choiceOf('chat.stop.kept', {
  selector: where(chatReplies, ({ stops }) => stops().length > 0),
  taken: ({ stops, choices: [first] }) => {
    if (first?.finish !== 'stop' || typeof first.content !== 'string') return null;
    return stops().some((stop) => first.content?.endsWith(stop)) ? 'kept' : 'not in the content';
  },
});

export const chatLogprobsTokensJoined = choiceOf('chat.logprobs.tokens-joined', {
  selector: chatReplies,
  taken: ({ choices }) => {
    const choice = choices.find(({ tokens, content }) => tokens !== null && typeof content === 'string');
    if (choice === undefined) return null;
    const text = choice.tokens?.map(({ entry }) => textAt(entry, 'token')).join('');
    return text === choice.content ? 'the content' : 'another text';
  },
});
