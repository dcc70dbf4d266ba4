import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MissingPeer } from '../exchange/optional-peer.ts';
import { UsageError } from '../pipeline/setup/usage-error.ts';
import { errorMessage } from './command-errors.ts';

test('a message keeps its line breaks, and no other control character', () => {
  expect(errorMessage(new UsageError('The file "\u001b[2J\u202e\r" is missing.\nName another.'))).toBe(
    'The file "\\u001b[2J\\u202e\\r" is missing.\nName another.',
  );
});

test('a system error that users can cause is printed with its path and code', () => {
  const path = `/${'a'.repeat(300)}`;
  const readMessage = () => {
    try {
      return statSync(path);
    } catch (error) {
      return errorMessage(error);
    }
  };
  expect(readMessage()).toBe(`${path}: the path, or a name in it, is too long (ENAMETOOLONG)`);
});

test('an expected error is printed as it is, and any other is called a defect', () => {
  expect(errorMessage(new MissingPeer('assay/nock needs the package nock.'))).toBe(
    'assay/nock needs the package nock.',
  );
  expect(errorMessage(new Error('odd'))).toContain('defect');
});
