import { describe, expect, test } from 'vitest';
import { readEvents } from '../http/sse-reader.ts';
import { LinearPattern } from './linear-pattern.ts';
import { Redactor } from './redactor.ts';
import { parseRedactionRule, type RedactionRule } from './rules.ts';
import { WorkBudget } from './work-budget.ts';

function redact(rules: readonly string[], text: string, isStream = false): string {
  const redactor = new Redactor({ rules: rules.map(parseRedactionRule) });
  const filter = isStream ? redactor.createStreamFilter() : redactor.createBodyFilter();
  const bytes = Buffer.from(text);
  const output = [filter.push(bytes.subarray(0, 5)), filter.push(bytes.subarray(5)), filter.finish()];
  const redacted = Buffer.concat(output);
  expect(redacted.length).toBe(bytes.length);
  return redacted.toString();
}

const redactJson = (rules: readonly string[], value: unknown) =>
  JSON.parse(redact(rules, JSON.stringify(value)));

describe('a pointer', () => {
  test('selects a string, or every string within an object or a list', () => {
    const body = { user: 'Ann', meta: { mail: 'ann@x.example', tags: ['Ann', 'b'] }, n: 1 };
    expect(redactJson(['pointer:/user'], body)).toEqual({ ...body, user: 'rxx' });
    expect(redactJson(['pointer:/meta'], body)).toMatchObject({
      user: 'Ann',
      meta: { mail: 'redacted_1_xx', tags: ['rxx', 'r'] },
    });
    expect(redactJson(['pointer:/meta/tags/*'], body)).toMatchObject({
      meta: { mail: 'ann@x.example', tags: ['rxx', 'r'] },
    });
  });

  test('keeps escapes and lengths', () => {
    expect(redact(['pointer:/a'], '{"a":"x\\u0041\\n\\"é","b":"x"}')).toBe(
      '{"a":"r\\u0078\\/\\/xx","b":"x"}',
    );
  });

  test('selects the text that the deltas of a stream build up', () => {
    const deltas = ['My name', ' is Ann', 'a.'].map(
      (d) => `data: ${JSON.stringify({ delta: { content: d }, id: 'c' })}\n\n`,
    );
    const redacted = redact(['pointer:/delta/content'], deltas.join(''), true);
    const content = (readEvents(Buffer.from(redacted))?.events ?? []).map(
      ({ data }) => JSON.parse(data).delta.content,
    );
    expect(content.join('')).toBe('redacted_1_xxxxx');
    expect(redacted).toContain('"id":"c"');
  });
});

describe('a pattern', () => {
  const number = 'pattern:\\b\\d{3}-\\d{2}-\\d{4}\\b';

  test('is found in JSON strings, in other text, and across deltas', () => {
    expect(redactJson([number], { a: ['is 123-45-6789!'] })).toEqual({ a: ['is redacted_xx!'] });
    expect(redact([number], 'is 123-45-6789, yes')).toBe('is redacted_xx, yes');
    const deltas = ['is 123-4', '5-67', '89!'].map((d) => `data: ${JSON.stringify({ d })}\n\n`);
    const redacted = redact([number], deltas.join(''), true);
    const content = (readEvents(Buffer.from(redacted))?.events ?? []).map(({ data }) => JSON.parse(data).d);
    expect(content.join('')).toBe('is redacted_xx!');
  });

  test('is found in targets and headers', () => {
    const redactor = new Redactor({ rules: [{ pattern: 'cust_[a-z]{10,}' }] });
    expect(redactor.redactTarget('/v1/x/cust_abcdefghij?y=1')).toBe('/v1/x/redacted_1_xxxx?y=1');
    expect(redactor.redactHeaders([['X-Assay-A', 'for cust_abcdefghij']])).toEqual([
      ['X-Assay-A', 'for redacted_1_xxxx'],
    ]);
  });

  test('makes its matches known secrets, which are then found in other spellings', () => {
    const redactor = new Redactor({ rules: [{ pattern: 'cust_[a-z]{10,}' }] });
    redactor.redactTarget('/v1/x/cust_abcdefghij');
    const filter = redactor.createBodyFilter();
    const hidden = Buffer.from('cust_abcdefghij').toString('base64');
    const redacted = Buffer.concat([filter.push(Buffer.from(hidden)), filter.finish()]);
    expect(Buffer.from(redacted.toString(), 'base64').toString()).toBe('redacted_1_xxxx');
  });

  test('with nested repetitions is searched for to the end of a long text', () => {
    // A backtracking engine needs about 2^4000 steps for this.
    const text = (end: string) => `${'a'.repeat(4000)}!${end}`;
    expect(redact(['pattern:(?:a+)+$'], text('aa'))).toBe(text('rx'));
    expect(redact(['pattern:(?:a|a)*b$'], text('ab'))).toBe(text('rx'));
  });

  test('may look behind', () => {
    expect(redact(['pattern:(?<=id )\\d+'], 'id 42, 43')).toBe('id rx, 43');
  });
});

test('a pointer without a leading slash is rejected, as it would select every string', () => {
  expect(() => new Redactor({ rules: [{ pointer: 'user' }] })).toThrow('user is not a JSON pointer');
});

test('a rule is parsed', () => {
  expect(parseRedactionRule('pointer:/a/b')).toEqual({ pointer: '/a/b' } satisfies RedactionRule);
  expect(parseRedactionRule('pattern:\\d')).toEqual({ pattern: '\\d' } satisfies RedactionRule);
});

test.each(['x', 'pointer:a', '/a'])('%s is rejected with the forms of a rule', (text) => {
  expect(() => parseRedactionRule(text)).toThrow(
    `${text} is not a redaction rule. Write pointer:/a/b, where * matches any member, or pattern:REGEX.`,
  );
});

test.each(['(', '(?=a+b)a', '(a+)\\1', '(?:a{1000}){1000}', '(?:(?:a?){40}){10}'])(
  'the pattern %s, which is malformed, unsupported or too large, is rejected by name',
  (pattern) => {
    expect(() => parseRedactionRule(`pattern:${pattern}`)).toThrow(`pattern:${pattern} is `);
  },
);

function scramble(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 31 === 0 ? 'a' : 'b';
  }).join('');
}

describe('the work of patterns is bounded', () => {
  const WORK_LIMIT = 2_000_000;

  // Each pattern exhausts the limit: searches to the end from every character, instructions, states, or matches.
  test.each([
    ['a.*b|a', 'a'.repeat(20_000)],
    ['[a-z]{70,150}q', `${'a'.repeat(50_000)}q`],
    ['(?:a|b)*a(?:a|b){60}c', `c${scramble(50_000)}`],
    ['(?<=a).*b|a', 'a'.repeat(20_000)],
    ['\\b\\d{3}-\\d{2}-\\d{4}\\b', '1 123-45-6789 '.repeat(5_000)],
  ])('for %s', (pattern, text) => {
    const compiled = new LinearPattern(pattern);
    const budget = new WorkBudget(WORK_LIMIT);
    expect(compiled.findMatches(text, budget).isExhausted).toBe(true);
    expect(budget.spent).toBeLessThanOrEqual(WORK_LIMIT + compiled.size + 16);
  });

  test('so that a text without a match costs at most one test of each character', () => {
    const budget = new WorkBudget();
    const text = '12-34 '.repeat(100_000);
    expect(new LinearPattern('\\d{3}-\\d{2}-\\d{4}').findMatches(text, budget)).toEqual({
      places: [],
      isExhausted: false,
    });
    expect(budget.spent).toBeLessThan(3 * text.length);
  });

  test('for all patterns of a body; the rest of it is only searched for known secrets, with one remark', () => {
    const rules = ['pattern:a.*b|a', 'pattern:[xy]'].map(parseRedactionRule);
    const redactor = new Redactor({ rules, secrets: ['sk-known-secret-1'] });
    const filter = redactor.createBodyFilter();
    const body = Buffer.from(`${'a'.repeat(20_000)} x sk-known-secret-1`);
    const output = Buffer.concat([filter.push(body), filter.finish()]).toString();
    expect(output).toHaveLength(body.length);
    expect(output.startsWith('r')).toBe(true);
    expect(output).toMatch(/aaa x redacted_1_xxxxxx$/);
    expect(redactor.takeRemarks()).toEqual([expect.stringContaining('too large for the redaction rules')]);
  });

  test('for headers as well', () => {
    const redactor = new Redactor({ rules: [{ pattern: 'a.*b|a' }] });
    const [pair] = redactor.redactHeaders([['X-Assay-A', 'a'.repeat(20_000)]]);
    expect(pair?.[1]).toHaveLength(20_000);
    expect(redactor.takeRemarks()).toEqual([expect.stringContaining('too large for the redaction rules')]);
  });
});

test('a body that is too large for rules is only searched for known secrets, with a remark', () => {
  const redactor = new Redactor({ rules: [parseRedactionRule('pattern:q')], secrets: ['sk-known-secret-1'] });
  const filter = redactor.createBodyFilter();
  const fill = Buffer.alloc(17 * 1024 * 1024, '-');
  const output = Buffer.concat([
    filter.push(Buffer.concat([fill, Buffer.from('q sk-known-secret-1')])),
    filter.finish(),
  ]);
  expect(output.subarray(fill.length).toString()).toBe('q redacted_1_xxxxxx');
  expect(output.subarray(0, fill.length).equals(fill)).toBe(true);
  expect(redactor.takeRemarks()).toEqual([expect.stringContaining('too large for the redaction rules')]);
});

test.each([
  ['pattern:p.ss[a-z]*', 'p\xe4sswd', 'rxxxxx'],
  ['pattern:p.ss[a-z]*', 'p\xe4sswd and more', 'rxxxxx and more'],
  ['pointer:/a', '{"a":"p\xe4sswd"}', '{"a":"rxxxxx"}'],
])('%s replaces bytes that are not UTF-8 without changing the length: %s', (rule, body, redacted) => {
  const filter = new Redactor({ rules: [parseRedactionRule(rule)] }).createBodyFilter();
  const output = Buffer.concat([filter.push(Buffer.from(body, 'latin1')), filter.finish()]);
  expect(output.toString('latin1')).toBe(redacted);
});

test('a replacement across lines of an event keeps all line ends', () => {
  const stream = 'data: a\n\ndata: x first-line-1\ndata: second-line y\n\ndata: z\n\n';
  const redacted = 'data: a\n\ndata: x redacted_1_x\ndata: xxxxxxxxxxx y\n\ndata: z\n\n';
  expect(redact(['pattern:first-line-1\\nsecond-line'], stream, true)).toBe(redacted);
  const filter = new Redactor({ secrets: ['first-line-1\nsecond-line'] }).createStreamFilter();
  const output = Buffer.concat([filter.push(Buffer.from(stream)), filter.finish()]);
  expect(output.toString()).toBe(redacted);
});
