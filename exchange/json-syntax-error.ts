/** The message of a JSON syntax error on one line. Control characters are escaped: the parser quotes the text, which may steer a terminal. */
export function jsonSyntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\p{Cc}/gu, (character) => {
    if (character === '\n') return '\\n';
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
