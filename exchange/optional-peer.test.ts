import { expect, test } from 'vitest';
import { importOptionalPeer, MissingPeer } from './optional-peer.ts';

const absent = 'a-package-that-is-not-installed';

test('a package that is installed is loaded', async () => {
  expect(await importOptionalPeer('vitest', 'assay/vitest', () => import('vitest'))).toHaveProperty('test');
});

test('for a missing package, the message says what needs it and how to install it', async () => {
  const loading = importOptionalPeer(absent, 'assay/nock', () => import(/* @vite-ignore */ absent));
  await expect(loading).rejects.toThrow(MissingPeer);
  await expect(loading).rejects.toThrow(`assay/nock needs the package ${absent}`);
  await expect(loading).rejects.toThrow(`npm install --save-dev ${absent}`);
});

test('an error that the package throws is rethrown', async () => {
  const broken = new Error('it broke');
  await expect(importOptionalPeer('nock', 'assay/nock', () => Promise.reject(broken))).rejects.toBe(broken);
});

test('the error for another missing package is rethrown', async () => {
  const other = Object.assign(new Error("Cannot find package 'other'"), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(importOptionalPeer('nock', 'assay/nock', () => Promise.reject(other))).rejects.toBe(other);
});
