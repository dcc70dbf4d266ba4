import { expect, test } from 'vitest';
import { formParts } from './requests.ts';

test('a form can contain text, files and repeated names', () => {
  const file = { file: Buffer.from('x'), filename: 'x.bin', type: 'a/b' };
  expect(formParts({ n: 2, size: '1x1', 'kinds[]': ['a', 'b'], file })).toEqual([
    { name: 'n', value: '2' },
    { name: 'size', value: '1x1' },
    { name: 'kinds[]', value: 'a' },
    { name: 'kinds[]', value: 'b' },
    { name: 'file', ...file },
  ]);
});
