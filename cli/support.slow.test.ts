import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { prepareSupportRuns, type SupportRow } from './testing/support-in-reports.ts';

const { folder, runForSupport } = prepareSupportRuns();

describe('for a conforming service of which chat and threads are claimed', () => {
  let rows: ReadonlyMap<string, SupportRow>;
  beforeAll(async () => {
    rows = await runForSupport('reference');
  });

  test('fields whose effect was seen are supported, and no others', () => {
    const fields = [...rows.values()].filter(({ operation }) => operation === 'createChatCompletion');
    const fieldsWith = (support: string) =>
      fields.filter((row) => row.support === support).map(({ field }) => field);
    expect({ supported: fieldsWith('supported'), other: fieldsWith('other') }).toMatchInlineSnapshot(`
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
    expect(['ignored', 'refused', 'not shown'].flatMap(fieldsWith)).toEqual([]);
    for (const name of ['createThread metadata', 'createThread tool_resources', 'modifyThread metadata'])
      expect(rows.get(name)?.support).toBe('supported');
  });

  const readOutput = (name: string) => readFileSync(join(folder, 'reference', name), 'utf8');

  test('Markdown and HTML show the support of a field', () => {
    expect(readOutput('support.md')).toContain('| createChatCompletion | stop | supported |');
    expect(readOutput('support.html')).toMatch(/<td[^>]*>stop<\/td><td[^>]*>supported<\/td>/);
  });

  test('the HTML page loads nothing', () => {
    expect(readOutput('support.html')).not.toMatch(
      /<script|(?:src|href)="(?!data:|#)|url\((?!["']?data:)|@import|https?:\/\/(?!127\.0\.0\.1)/,
    );
  });

  test('the support of each field of an unclaimed operation is "not shown"', () => {
    const claimed = /^(?:createChatCompletion|\w+Thread)$/;
    const unclaimed = [...rows.values()].filter(({ operation }) => !claimed.test(operation));
    expect(unclaimed.length).toBeGreaterThan(200);
    expect(new Set(unclaimed.map(({ support }) => support))).toEqual(new Set(['not shown']));
  });
});
