/** Why a text is no JSON, on one line: the parser quotes the text as it is, with what steers a terminal in it. */
export function jsonSyntaxError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\p{Cc}/gu, (character) => {
    if (character === '\n') return '\\n';
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
