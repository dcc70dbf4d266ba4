import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterPieces } from '../testing/pieces.ts';
import type { ByteFilter } from './byte-filter.ts';
import { Redactor } from './redactor.ts';

const SECRET = 'sk-Canary_42+abc/XYZ';
const ALIAS = 'redacted_1_xxxxx/xxx';
const createRedactor = () => new Redactor({ secrets: [SECRET] });

function filterText(filter: ByteFilter, text: string, cuts: readonly number[] = []): string {
  return filterPieces(filter, Buffer.from(text), cuts).toString();
}

interface Token {
  readonly token: string;
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly Omit<Token, 'top_logprobs'>[];
}

function tokenOf(token: string): Token {
  const candidate = { token, logprob: -0.1, bytes: [...Buffer.from(token)] };
  return { ...candidate, top_logprobs: [candidate, { token: '?', bytes: [63] }] };
}

function tokensOf(text: string, cuts: readonly number[]): readonly Token[] {
  const bounds = [0, ...new Set(cuts.map((cut) => cut % text.length)), text.length].toSorted((a, b) => a - b);
  return bounds
    .slice(1)
    .map((to, i) => tokenOf(text.slice(bounds[i], to)))
    .filter(({ token }) => token !== '');
}

const TEXT = `Your key is ${SECRET}, keep it.`;
const textOf = (tokens: readonly Pick<Token, 'token'>[]) => tokens.map(({ token }) => token).join('');
const decode = (tokens: readonly Pick<Token, 'bytes'>[]) =>
  Buffer.from(tokens.flatMap(({ bytes }) => [...bytes])).toString();
const firstCandidates = (tokens: readonly Token[]) =>
  tokens.flatMap(({ top_logprobs: [first] }) => first ?? []);
const chat = (content: readonly Token[]) => ({
  choices: [{ index: 0, message: { content: TEXT }, logprobs: { content, refusal: null } }],
});

function expectMasked(tokens: readonly Token[]): void {
  expect(textOf(tokens)).toBe(TEXT.replace(SECRET, ALIAS));
  expect(textOf(firstCandidates(tokens))).toBe(TEXT.replace(SECRET, ALIAS));
  for (const bytes of [decode(tokens), decode(firstCandidates(tokens))]) {
    expect(bytes).toMatch(/^Your key is .{20}, keep it\.$/);
    // Numbers keep their length, so some bytes cannot become those of the alias.
    expect(bytes.slice(12, 32)).toMatch(/^[a-z\d_/xX]{20}$/);
    expect(bytes).not.toMatch(/Canary|42|abc|XYZ/);
  }
}

test('tokens and bytes of log probabilities are redacted like the content, however they and the body are split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(100), { maxLength: 40 }),
      fc.array(fc.nat(9000), { maxLength: 6 }),
      fc.constantFrom(undefined, 2),
      (tokenCuts, cuts, indent) => {
        const text = JSON.stringify(chat(tokensOf(TEXT, tokenCuts)), null, indent);
        const output = filterText(
          createRedactor().createBodyFilter([['content-type', 'application/json']]),
          text,
          cuts,
        );
        expect(output.length).toBe(text.length);
        expectMasked((JSON.parse(output) as ReturnType<typeof chat>).choices[0]?.logprobs.content ?? []); // as: the shape of `text`
      },
    ),
  );
});

test('tokens in a stream are redacted too, with any number of them in an event', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(100), { maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.nat(9000), { maxLength: 6 }),
      (tokenCuts, groupSize, cuts) => {
        const tokens = tokensOf(TEXT, tokenCuts);
        const groups = tokens.flatMap((_, i) =>
          i % groupSize === 0 ? [tokens.slice(i, i + groupSize)] : [],
        );
        const stream = groups
          .map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, logprobs: { content } }] })}\n\n`)
          .join('');
        const output = filterText(createRedactor().createStreamFilter(), stream, cuts);
        expect(output.length).toBe(stream.length);
        const events = output
          .split('\n\n')
          .filter((event) => event !== '')
          .map((event) => JSON.parse(event.slice(6)) as ReturnType<typeof chat>); // as: the shape of `stream`
        expectMasked(events.flatMap(({ choices: [choice] }) => choice?.logprobs.content ?? []));
      },
    ),
  );
});

test('tokens of text completions are redacted, even if they name members', () => {
  const tokens = [...SECRET];
  const logprobs = {
    tokens,
    top_logprobs: tokens.map((token) => ({ [token]: -0.1, '?': -3 })),
    text_offset: [0],
  };
  const text = JSON.stringify({ choices: [{ text: SECRET, logprobs }] });
  const stream = `data: ${text}\n\n`;
  const outputs = [
    filterText(createRedactor().createBodyFilter(), text),
    filterText(createRedactor().createStreamFilter(), stream).slice(6),
  ];
  for (const output of outputs) {
    const { choices } = JSON.parse(output) as { choices: [{ logprobs: typeof logprobs }] }; // as: the shape of `text`
    expect(choices[0].logprobs.tokens.join('')).toBe(ALIAS);
    const first = choices[0].logprobs.top_logprobs.map((candidates) =>
      Object.keys(candidates).find((name) => name !== '?'),
    );
    expect(first.map((name) => name ?? '').join('')).toBe(ALIAS);
  }
});

test('bodies without secrets, and those that only mention log probabilities, are unchanged', () => {
  const texts = [
    JSON.stringify({ logprobs: { content: tokensOf('nothing to see here', [3, 8]) } }),
    '{"model":"m","logprobs":true,"top_logprobs":2}',
    '{"logprobs":null,"bytes":[115,107,45]}',
    '{"logprobs"',
    '{"logprobs": {"content":[{"token":"sk-Can',
    `{"logprobs"${' '.repeat(2000)}:[]}`,
    '"logprobs""logprobs":[]]]]{"bytes":[1,2,300]}',
  ];
  for (const text of texts)
    for (const cuts of [[], Array.from(text, (_, i) => i)])
      expect(filterText(createRedactor().createBodyFilter(), text, cuts)).toBe(text);
});

test('log probabilities that are too large to hold back pass with a remark', () => {
  const redactor = createRedactor();
  const filter = redactor.createBodyFilter();
  const piece = Buffer.alloc(1024 * 1024, ' ');
  let size = filter.push(Buffer.from('{"logprobs":[')).length;
  for (let n = 0; n < 20; n += 1) size += filter.push(piece).length;
  expect(size).toBe(13 + 20 * piece.length);
  size += filter.push(Buffer.from(`"${SECRET}"]}`)).length + filter.finish().length;
  expect(size).toBe(13 + 20 * piece.length + SECRET.length + 4);
  expect(redactor.takeRemarks()).toEqual([expect.stringContaining('Log probabilities were too large')]);
});

test('the rest of log probabilities with more than 10,000 members passes with a remark', () => {
  const render = (count: number, first: string, last: string) => {
    const members = Array.from({ length: count }, (_, n) => [`m${n}`, 'x'] as const);
    return JSON.stringify({
      logprobs: { tokens: [...first], ...Object.fromEntries(members), last: [...last] },
    });
  };
  const redactor = createRedactor();
  const [longest, tooLong] = [9_998, 10_001];
  const redact = (count: number) => filterText(redactor.createBodyFilter(), render(count, SECRET, SECRET));
  expect(redact(longest)).toBe(render(longest, ALIAS, ALIAS));
  expect(redactor.takeRemarks()).toEqual([]);
  expect(redact(tooLong)).toBe(render(tooLong, ALIAS, SECRET));
  expect(redactor.takeRemarks()).toEqual([expect.stringContaining('Log probabilities were too large')]);
});

test('very deep log probabilities pass unchanged with a remark', () => {
  const redactor = createRedactor();
  const text = `{"logprobs":${'['.repeat(100)}${JSON.stringify([...SECRET])}${']'.repeat(100)}}`;
  expect(filterText(redactor.createBodyFilter(), text)).toBe(text);
  expect(redactor.takeRemarks()).toEqual([expect.stringContaining('too deep')]);
});
