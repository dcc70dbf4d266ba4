import { expect, test } from 'vitest';
import { MissingPeer, optionalPeer } from './optional-peer.ts';

const absent = 'a-package-that-is-not-installed';

test('a package that is installed is loaded', async () => {
  expect(await optionalPeer('vitest', 'assay/vitest', () => import('vitest'))).toHaveProperty('test');
});

test('for a missing package, the message says what needs it and how to install it', async () => {
  const loading = optionalPeer(absent, 'assay/nock', () => import(/* @vite-ignore */ absent));
  await expect(loading).rejects.toThrow(MissingPeer);
  await expect(loading).rejects.toThrow(`assay/nock needs the package ${absent}`);
  await expect(loading).rejects.toThrow(`npm install --save-dev ${absent}`);
});

test('another failure of the package is passed on', async () => {
  const broken = new Error('it broke');
  await expect(optionalPeer('nock', 'assay/nock', () => Promise.reject(broken))).rejects.toBe(broken);
  const other = Object.assign(new Error("Cannot find package 'other'"), { code: 'ERR_MODULE_NOT_FOUND' });
  await expect(optionalPeer('nock', 'assay/nock', () => Promise.reject(other))).rejects.toBe(other);
});
