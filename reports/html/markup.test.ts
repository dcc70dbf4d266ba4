import { expect, test } from 'vitest';
import { escapeText, html } from './markup.ts';

test('values are escaped, markup is not', () => {
  const inner = html`<b title="${'"x"'}">${'<i>&'}</b>`;
  expect(html`<p>${inner}${null}${[1, inner]}</p>`.text).toBe(
    '<p><b title="&quot;x&quot;">&lt;i&gt;&amp;</b>1<b title="&quot;x&quot;">&lt;i&gt;&amp;</b></p>',
  );
  expect(escapeText("'")).toBe('&#39;');
});
