/** Random choices and changes of texts. The same seed gives the same ones. */
export interface Mutator {
  pick<T>(values: readonly [T, ...T[]]): T;
  mutateJson(text: string): string;
  mutateHttp(text: string): string;
}

const VALUES = [
  'null',
  '0',
  '-1',
  '1e999',
  '""',
  '[]',
  '{}',
  'true',
  '"\\u0000"',
  '[[]]',
  '"200"',
  '9007199254740993',
  '[1,2]',
] as const;
const BYTES = ['\x00', '\n', '\r\n', ...'"\\{}[],:a9\x7f\xff '] as const;
// biome-ignore format: one token per line would take forty lines
const TOKENS = [
  '\r\n', '\n', '\r', '\x00', '\x01', '\x7f', '\xff', ' ', ':', ';', ',', '0', '9', '-1', 'HTTP/1.1', 'HTTP/1.0', '000', '099',
  '100', '101', '103', '199', '204', '304', '600', '999', '1000', 'Content-Length: 5\r\n', 'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: gzip\r\n', 'Connection: close\r\n', 'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  'Content-Encoding: gzip\r\n', 'Content-Type: application/json\r\n', 'Content-Type: text/event-stream\r\n', 'Trailer: X\r\n',
  '0\r\n\r\n', 'ffffffffffffffff\r\n', 'data: [[[[\n\n', `X: ${'a'.repeat(20_000)}\r\n`,
] as const;

export function createMutator(seed: number): Mutator {
  let state = seed >>> 0;
  const randomBelow = (end: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  const pick = <T>(values: readonly [T, ...T[]]): T => values[randomBelow(values.length)] ?? values[0];
  const splice = (text: string, insert: string): string => {
    const from = randomBelow(text.length + 1);
    const length = randomBelow(3) === 0 ? randomBelow(40) : randomBelow(2);
    return text.slice(0, from) + insert + text.slice(from + length);
  };
  const replaceMatch = (text: string, pattern: RegExp, replacement: string): string => {
    pattern.lastIndex = randomBelow(text.length);
    const found = pattern.exec(text);
    return found === null ? text : text.slice(0, found.index) + replacement + text.slice(pattern.lastIndex);
  };
  const changeValue = (text: string): string =>
    replaceMatch(text, /"(?:[^"\\]|\\.)*"(?!:)|-?\d+(?:\.\d+)?|null|true|\[\]/g, pick(VALUES));
  const changeName = (text: string): string => replaceMatch(text, /"(?:[^"\\]|\\.)*":/g, '"x":');
  const changeLine = (text: string): string => {
    const lines = text.split('\n');
    lines.splice(randomBelow(lines.length), randomBelow(2), lines[randomBelow(lines.length)] ?? '');
    return lines.join('\n');
  };
  const repeat = (change: (text: string) => string, text: string): string => {
    let changed = text;
    for (let left = 1 + randomBelow(3); left > 0; left -= 1) changed = change(changed);
    return changed;
  };
  return {
    pick,
    mutateJson: (text) => {
      const changeByte = (content: string) => splice(content, pick(BYTES));
      return repeat(pick([changeValue, changeValue, changeValue, changeName, changeLine, changeByte]), text);
    },
    mutateHttp: (text) => repeat((content) => splice(content, pick(TOKENS)), text),
  };
}
