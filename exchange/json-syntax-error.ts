import { messageOf } from '../schemas/error-message.ts';

/** The message of a JSON syntax error on one line. Control characters are escaped: the parser quotes the text, which may steer a terminal. */
export function jsonSyntaxError(error: unknown): string {
  return messageOf(error).replace(/\p{Cc}/gu, (character) => {
    if (character === '\n') return '\\n';
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
