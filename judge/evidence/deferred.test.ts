import { expect, test } from 'vitest';
import { Deferred } from './deferred.ts';

test('evidence is returned as it is known at the end', () => {
  const deferred = new Deferred<string>();
  let later = 'early';
  let isExplained = false;
  deferred.add(() => later);
  deferred.add(() => (isExplained ? null : 'explained'));
  expect(deferred.finish()).toEqual(['early', 'explained']);
  later = 'late';
  isExplained = true;
  expect(deferred.finish()).toEqual(['late']);
});

test('evidence beyond the limit replaces explained evidence, or is lost', () => {
  const deferred = new Deferred<number>(2);
  let isExplained = false;
  deferred.add(() => (isExplained ? null : 1));
  deferred.add(() => 2);
  deferred.add(() => 3);
  expect(deferred.finish()).toEqual([1, 2]);
  isExplained = true;
  deferred.add(() => 4);
  expect(deferred.finish()).toEqual([2, 4]);
});

test('an entry beyond the limit checks only a few of the others', () => {
  const deferred = new Deferred<number>(64);
  let looks = 0;
  const open = (): number => {
    looks += 1;
    return looks;
  };
  for (let entry = 0; entry < 1064; entry += 1) deferred.add(open);
  expect(looks).toBeLessThan(5000);
});

test('every explained entry is replaced by a later one', () => {
  const deferred = new Deferred<number>(64);
  let isExplained = false;
  for (let entry = 0; entry < 64; entry += 1) deferred.add(() => (isExplained ? null : 1));
  isExplained = true;
  for (let entry = 0; entry < 64; entry += 1) deferred.add(() => 2);
  expect(deferred.finish()).toEqual(Array.from({ length: 64 }, () => 2));
});

test('explained evidence after unexplained evidence is soon replaced by later evidence', () => {
  const deferred = new Deferred<number>(64);
  for (let entry = 0; entry < 64; entry += 1) deferred.add(() => (entry < 32 ? entry : null));
  for (let entry = 0; entry < 32; entry += 1) deferred.add(() => 100);
  expect(deferred.finish().filter((one) => one === 100).length).toBeGreaterThan(16);
});
