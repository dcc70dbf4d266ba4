import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { prepareSupportRuns, type SupportRow } from './testing/support-in-reports.ts';

const { folder, runForSupport } = prepareSupportRuns();

describe('for a conforming service, claimed for chat and threads', () => {
  let rows: ReadonlyMap<string, SupportRow>;
  beforeAll(async () => {
    rows = await runForSupport('reference');
  });
  const supportFor = (field: string) => rows.get(`createChatCompletion ${field}`)?.support;

  test('fields whose effect was seen are supported, and no others', () => {
    const fields = [...rows.values()].filter(({ operation }) => operation === 'createChatCompletion');
    const by = (support: string) => fields.filter((row) => row.support === support).map(({ field }) => field);
    expect({ supported: by('supported'), other: by('other') }).toMatchInlineSnapshot(`
      {
        "other": [
          "messages",
          "frequency_penalty",
          "presence_penalty",
          "seed",
          "temperature",
          "top_p",
        ],
        "supported": [
          "model",
          "logit_bias",
          "logprobs",
          "top_logprobs",
          "max_tokens",
          "n",
          "response_format",
          "stop",
          "stream",
          "stream_options",
          "tools",
          "tool_choice",
        ],
      }
    `);
    expect(by('ignored').concat(by('refused'), by('not shown'))).toEqual([]);
    expect(supportFor('stop')).toBe('supported');
    for (const name of ['createThread metadata', 'createThread tool_resources', 'modifyThread metadata'])
      expect(rows.get(name)?.support).toBe('supported');
  });

  test('Markdown and HTML show the support of a field, and the page loads nothing', () => {
    const text = (name: string) => readFileSync(join(folder, 'reference', name), 'utf8');
    expect(text('support.md')).toContain('| createChatCompletion | stop | supported |');
    expect(text('support.html')).toMatch(/<td[^>]*>stop<\/td><td[^>]*>supported<\/td>/);
    expect(text('support.html')).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1)/);
  });

  test('the support of unclaimed operations is unknown', () => {
    const claimed = /^(?:createChatCompletion|\w+Thread)$/;
    const elsewhere = [...rows.values()].filter(({ operation }) => !claimed.test(operation));
    expect(elsewhere.length).toBeGreaterThan(200);
    expect(new Set(elsewhere.map(({ support }) => support))).toEqual(new Set(['not shown']));
  });
});
