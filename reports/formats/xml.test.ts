import { expect, test } from 'vitest';
import { xmlDocument } from './xml.ts';

test('attributes, text and children are written in their order, escaped', () => {
  const child = [{ '@name': 'a"b' }, { '@name': 'c', '#text': '<&>' }];
  expect(xmlDocument('root', { '@count': 2, child, note: "it's" })).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>
<root count="2">
  <child name="a&quot;b"/>
  <child name="c">&lt;&amp;&gt;</child>
  <note>it&apos;s</note>
</root>
`,
  );
});

test('a line break in an attribute is kept, a character that XML cannot hold is replaced', () => {
  expect(xmlDocument('root', { '@says': 'a\nb\u0000\ud800' })).toContain('says="a&#10;b\ufffd\ufffd"');
});
